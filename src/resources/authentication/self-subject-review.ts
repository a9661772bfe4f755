import { systemGroup } from '../../names/dialect.js';
import { defineResource } from '../../registry/definition.js';
import { alwaysStruct, struct } from '../../schema/vocabulary.js';
import { once } from '../shared/once.js';
import { userInfoSchema } from './user-info.js';

const selfSubjectReviewSchema = once(() =>
  struct('SelfSubjectReview', {
    status: alwaysStruct(
      2,
      struct('SelfSubjectReviewStatus', {
        userInfo: alwaysStruct(1, userInfoSchema(), { description: 'The user that makes the request.' }),
      }),
      { description: 'Filled in by the server.' },
    ),
  }),
);

/** Returns the authenticated user of the request. Not stored. */
export const SelfSubjectReview = defineResource({
  group: systemGroup('authentication'),
  version: 'v1',
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  scope: 'Cluster',
  origin: 'builtin',
  lifecycle: { introduced: '1.28' },
  virtual: true,
  description: 'Returns the authenticated user of the request. With impersonation this is the impersonated user.',
  schema: selfSubjectReviewSchema,
});
