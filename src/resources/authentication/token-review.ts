import * as z from 'zod';
import { systemGroup } from '../../names/dialect.js';
import { defineResource } from '../../registry/definition.js';
import { alwaysStruct, atomicList, omitted, struct } from '../../schema/vocabulary.js';
import { once } from '../shared/once.js';
import { userInfoSchema } from './user-info.js';

const tokenReviewSchema = once(() =>
  struct(
    'TokenReview',
    {
      spec: alwaysStruct(
        2,
        struct('TokenReviewSpec', {
          token: omitted(1, z.string(), { description: 'The opaque bearer token.' }),
          audiences: omitted(2, atomicList(z.string()), {
            description:
              'Audiences that the asker has; the token must be for at least one of them. Default: those of the API server.',
          }),
        }),
        { description: 'What is asked.' },
      ),
      status: alwaysStruct(
        3,
        struct('TokenReviewStatus', {
          authenticated: omitted(1, z.boolean(), { description: 'The token belongs to a known user.' }),
          user: alwaysStruct(2, userInfoSchema(), { description: 'The user whose token it is.' }),
          audiences: omitted(4, atomicList(z.string()), {
            description:
              'Audiences that the asker and the token have in common. A client that names audiences must check that one is among them.',
          }),
          error: omitted(3, z.string(), { description: 'Why the token could not be checked.' }),
        }),
        { description: 'Filled in by the server.' },
      ),
    },
    { publishedRequired: ['spec'] },
  ),
);

/** Asks whose token a token is. Not stored. */
export const TokenReview = defineResource({
  group: systemGroup('authentication'),
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  scope: 'Cluster',
  origin: 'builtin',
  virtual: true,
  description: 'Asks whose token a token is.',
  schema: tokenReviewSchema,
});

/** A TokenReview as the server works on it. */
export type TokenReviewFields = z.output<ReturnType<typeof tokenReviewSchema>>;
