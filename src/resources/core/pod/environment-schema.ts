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

/** Single environment variables. */
export const environment = once(() =>
  mapList(
    struct('EnvVar', {
      name: always(1, z.string(), { description: 'Name of the variable.' }),
      value: omitted(2, z.string(), { description: 'Value. $(NAME) expands to an earlier variable.' }),
      valueFrom: optional(
        3,
        struct('EnvVarSource', {
          fieldRef: optional(1, objectFieldSelector(), { description: 'A field of the pod.' }),
          resourceFieldRef: optional(2, resourceFieldSelector(), { description: 'A resource of a container.' }),
          configMapKeyRef: optional(3, keySelector('ConfigMapKeySelector', 'config map'), {
            description: 'A key of a config map.',
          }),
          secretKeyRef: optional(4, keySelector('SecretKeySelector', 'secret'), { description: 'A key of a secret.' }),
        }),
        { description: 'Source of the value. Mutually exclusive with value.' },
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

/** Environment variables from all keys of a config map or secret. */
export const environmentSources = once(() =>
  atomicList(
    struct('EnvFromSource', {
      prefix: omitted(1, z.string(), { description: 'Prefix of every key.' }),
      configMapRef: optional(2, wholeReference('ConfigMapEnvSource', 'config map'), { description: 'A config map.' }),
      secretRef: optional(3, wholeReference('SecretEnvSource', 'secret'), { description: 'A secret.' }),
    }),
  ),
);
