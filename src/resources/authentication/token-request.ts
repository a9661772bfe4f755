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

/** Default lifetime of a token, in seconds. */
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
    { description: 'The object that the token is bound to. The token is invalid when the object is deleted.' },
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
                'Audiences of the token. A recipient that is not an audience must refuse the token. Default: the API server.',
            }),
            expirationSeconds: optional(4, int64(), {
              default: DEFAULT_EXPIRATION_SECONDS,
              publishedDefault: null,
              description: 'Requested lifetime in seconds. The server may issue a different lifetime and returns it.',
            }),
            boundObjectRef: boundObjectRef(),
          },
          { publishedRequired: ['audiences'] },
        ),
        { description: 'The requested token.' },
      ),
      status: alwaysStruct(
        3,
        struct('TokenRequestStatus', {
          token: always(1, z.string(), { description: 'The opaque bearer token.' }),
          expirationTimestamp: always(2, time(), { description: 'Time when the token expires.' }),
        }),
        { description: 'Filled in by the server.' },
      ),
    },
    { publishedRequired: ['spec'] },
  ),
);

/** Requests a token of a service account; created at the subresource `token` of the account. Not stored. */
export const TokenRequest = defineResource({
  group: systemGroup('authentication'),
  version: 'v1',
  kind: 'TokenRequest',
  plural: 'tokenrequests',
  scope: 'Namespaced',
  origin: 'builtin',
  virtual: true,
  description: 'Requests a token of a service account.',
  schema: tokenRequestSchema,
});

/** The decoded fields of a TokenRequest. */
export type TokenRequestFields = z.output<ReturnType<typeof tokenRequestSchema>>;
