import * as z from 'zod';
import { systemGroup } from '../../names/dialect.js';
import { defineResource } from '../../registry/definition.js';
import {
  always,
  alwaysStruct,
  atomicList,
  goNamed,
  int64,
  optional,
  omitted,
  struct,
  time,
} from '../../schema/vocabulary.js';
import { unsetIsNull } from '../shared/facts.js';
import { once } from '../shared/once.js';

/** How long a token lasts that nobody says otherwise of, in seconds. */
const DEFAULT_EXPIRATION_SECONDS = 3600;

const boundObjectRef = () =>
  unsetIsNull(
    3,
    struct('BoundObjectReference', {
      kind: omitted(1, z.string(), { description: 'Pod or Secret.' }),
      apiVersion: omitted(2, z.string(), { description: 'Version of the kind.' }),
      name: omitted(3, z.string(), { description: 'Name of the object.' }),
      uid: omitted(4, goNamed('types.UID', z.string()), { description: 'Uid of the object.' }),
    }),
    { description: 'An object without which the token is not valid.' },
  );

const tokenRequestSchema = once(() =>
  struct(
    'TokenRequest',
    {
      spec: alwaysStruct(
        2,
        struct(
          'TokenRequestSpec',
          {
            audiences: omitted(1, atomicList(z.string()), {
              description:
                'Who the token is for: whoever gets it must be one of them, or refuse it. Default: the API server.',
            }),
            expirationSeconds: optional(4, int64(), {
              default: DEFAULT_EXPIRATION_SECONDS,
              publishedDefault: null,
              description: 'How long the token is to last. The answer says how long it does.',
            }),
            boundObjectRef: boundObjectRef(),
          },
          { publishedRequired: ['audiences'] },
        ),
        { description: 'What is asked for.' },
      ),
      status: alwaysStruct(
        3,
        struct('TokenRequestStatus', {
          token: always(1, z.string(), { description: 'The opaque bearer token.' }),
          expirationTimestamp: always(2, time(), { description: 'When the token ends.' }),
        }),
        { description: 'Filled in by the server.' },
      ),
    },
    { publishedRequired: ['spec'] },
  ),
);

/** Asks for a token of a service account; posted to the account's subresource `token`. Not stored. */
export const TokenRequest = defineResource({
  group: systemGroup('authentication'),
  version: 'v1',
  kind: 'TokenRequest',
  plural: 'tokenrequests',
  scope: 'Namespaced',
  origin: 'builtin',
  virtual: true,
  description: 'Asks for a token of a service account.',
  schema: tokenRequestSchema,
});

/** A TokenRequest as the server works on it. */
export type TokenRequestFields = z.output<ReturnType<typeof tokenRequestSchema>>;
