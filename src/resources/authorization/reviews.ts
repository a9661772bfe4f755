/**
 * Questions about access (conventions.md, "Authorization"). None of them is stored.
 *
 * @module
 */
import { systemGroup } from '../../names/dialect.js';
import { defineResource } from '../../registry/definition.js';
import { once } from '../shared/once.js';
import { selfSubjectAccessReviewSchema, selfSubjectRulesReviewSchema, subjectAccessReviewSchema } from './schemas.js';

const common = { group: systemGroup('authorization'), version: 'v1', origin: 'builtin', virtual: true } as const;

/** Asks whether the asker may. */
export const SelfSubjectAccessReview = defineResource({
  ...common,
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  scope: 'Cluster',
  description: 'Asks whether its creator may do something. Everybody may ask about themselves.',
  schema: selfSubjectAccessReviewSchema,
});

/** Asks whether somebody may. */
export const SubjectAccessReview = defineResource({
  ...common,
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  scope: 'Cluster',
  description: 'Asks whether a user or group may do something.',
  schema: once(() => subjectAccessReviewSchema('SubjectAccessReview')),
});

/** Asks whether somebody may, in one namespace: who may ask can be granted by namespace. */
export const LocalSubjectAccessReview = defineResource({
  ...common,
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  scope: 'Namespaced',
  description: 'Asks whether a user or group may do something in one namespace.',
  schema: once(() => subjectAccessReviewSchema('LocalSubjectAccessReview')),
});

/** Asks what the asker may do in a namespace. */
export const SelfSubjectRulesReview = defineResource({
  ...common,
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  scope: 'Cluster',
  description: 'Asks what its creator may do in a namespace. Meant for user interfaces; not for a decision.',
  schema: selfSubjectRulesReviewSchema,
});
