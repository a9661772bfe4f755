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
              'Audiences of the caller. The token must be for at least one of them. Default: the audiences of the API server.',
          }),
        }),
        { description: 'The token to check.' },
      ),
      status: alwaysStruct(
        3,
        struct('TokenReviewStatus', {
          authenticated: omitted(1, z.boolean(), { description: 'The token belongs to a known user.' }),
          user: alwaysStruct(2, userInfoSchema(), { description: 'The user of the token.' }),
          audiences: omitted(4, atomicList(z.string()), {
            description:
              'Audiences that the caller and the token share. A client that names audiences must check that one of them is in this list.',
          }),
          error: omitted(3, z.string(), { description: 'The reason why the token could not be checked.' }),
        }),
        { description: 'Filled in by the server.' },
      ),
    },
    { publishedRequired: ['spec'] },
  ),
);

/** Authenticates a token and returns its user. Not stored. */
export const TokenReview = defineResource({
  group: systemGroup('authentication'),
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  scope: 'Cluster',
  origin: 'builtin',
  lifecycle: { introduced: '1.6' },
  virtual: true,
  description: 'Authenticates a token and returns its user.',
  schema: tokenReviewSchema,
});

/** The decoded fields of a TokenReview. */
export type TokenReviewFields = z.output<ReturnType<typeof tokenReviewSchema>>;
