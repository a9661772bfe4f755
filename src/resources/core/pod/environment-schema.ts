import * as z from 'zod';
import { always, atomicList, optional, mapList, omitted, struct } from '../../../schema/vocabulary.js';
import { once } from '../../shared/once.js';
import { inlineReference, objectFieldSelector, resourceFieldSelector } from './volume-files-schema.js';

const OPTIONAL = 'Whether the container may start without it.';

const keySelector = (name: string, of: string) =>
  struct(
    name,
    {
      ...inlineReference(`Name of the ${of}.`),
      key: always(2, z.string(), { description: `The key of the ${of}.` }),
      optional: optional(3, z.boolean(), { description: OPTIONAL }),
    },
    { mapType: 'atomic' },
  );

/** Environment variables, one by one. */
export const environment = once(() =>
  mapList(
    struct('EnvVar', {
      name: always(1, z.string(), { description: 'Name of the variable.' }),
      value: omitted(2, z.string(), { description: 'Its value. $(NAME) stands for an earlier variable.' }),
      valueFrom: optional(
        3,
        struct('EnvVarSource', {
          fieldRef: optional(1, objectFieldSelector(), { description: 'A field of the pod.' }),
          resourceFieldRef: optional(2, resourceFieldSelector(), { description: 'An amount of a container.' }),
          configMapKeyRef: optional(3, keySelector('ConfigMapKeySelector', 'config map'), {
            description: 'A key of a config map.',
          }),
          secretKeyRef: optional(4, keySelector('SecretKeySelector', 'secret'), { description: 'A key of a secret.' }),
        }),
        { description: 'Where the value comes from; excludes value.' },
      ),
    }),
    ['name'],
  ),
);

const wholeReference = (name: string, of: string) =>
  struct(name, {
    ...inlineReference(`Name of the ${of}.`),
    optional: optional(2, z.boolean(), { description: OPTIONAL }),
  });

/** Environment variables by the lot: every key of a config map or secret. */
export const environmentSources = once(() =>
  atomicList(
    struct('EnvFromSource', {
      prefix: omitted(1, z.string(), { description: 'Put in front of every key.' }),
      configMapRef: optional(2, wholeReference('ConfigMapEnvSource', 'config map'), { description: 'A config map.' }),
      secretRef: optional(3, wholeReference('SecretEnvSource', 'secret'), { description: 'A secret.' }),
    }),
  ),
);
