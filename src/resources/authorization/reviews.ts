/**
 * The access reviews (conventions.md, "Authorization"). They are not stored.
 *
 * @module
 */
import { systemGroup } from '../../names/dialect.js';
import { defineResource } from '../../registry/definition.js';
import { once } from '../shared/once.js';
import { selfSubjectAccessReviewSchema, selfSubjectRulesReviewSchema, subjectAccessReviewSchema } from './schemas.js';

const common = { group: systemGroup('authorization'), version: 'v1', origin: 'builtin', virtual: true } as const;

/** Checks whether the caller is allowed a request. */
export const SelfSubjectAccessReview = defineResource({
  ...common,
  kind: 'SelfSubjectAccessReview',
  lifecycle: { introduced: '1.19' },
  plural: 'selfsubjectaccessreviews',
  scope: 'Cluster',
  description: 'Checks whether the caller is allowed a request. Every user may check their own access.',
  schema: selfSubjectAccessReviewSchema,
});

/** Checks whether a user is allowed a request. */
export const SubjectAccessReview = defineResource({
  ...common,
  kind: 'SubjectAccessReview',
  lifecycle: { introduced: '1.6' },
  plural: 'subjectaccessreviews',
  scope: 'Cluster',
  description: 'Checks whether a user or group is allowed a request.',
  schema: once(() => subjectAccessReviewSchema('SubjectAccessReview')),
});

/**
 * Checks whether a user is allowed a request in one namespace, so that the right to check can be granted by namespace.
 */
export const LocalSubjectAccessReview = defineResource({
  ...common,
  kind: 'LocalSubjectAccessReview',
  lifecycle: { introduced: '1.19' },
  plural: 'localsubjectaccessreviews',
  scope: 'Namespaced',
  description: 'Checks whether a user or group is allowed a request in one namespace.',
  schema: once(() => subjectAccessReviewSchema('LocalSubjectAccessReview')),
});

/** Lists the permissions of the caller in a namespace. */
export const SelfSubjectRulesReview = defineResource({
  ...common,
  kind: 'SelfSubjectRulesReview',
  lifecycle: { introduced: '1.19' },
  plural: 'selfsubjectrulesreviews',
  scope: 'Cluster',
  description:
    'Lists the permissions of the caller in a namespace. For user interfaces, not for authorization decisions.',
  schema: selfSubjectRulesReviewSchema,
});
