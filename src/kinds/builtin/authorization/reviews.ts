/**
 * The access reviews (conventions.md, "Authorization"). They are not stored.
 *
 * @module
 */
import type { authorizationV1 } from '../../types/index.js';
import type { FieldsOf } from '../behaviour.js';
import { builtinKind } from '../builtin-kind.js';
import { operation } from '../operation.js';

/** Checks whether the caller is allowed a request. Every user may check their own access. */
export const SelfSubjectAccessReview = builtinKind<authorizationV1.SelfSubjectAccessReview>(
  'authorization.v1.SelfSubjectAccessReview',
  operation,
);

/** An object of the kind {@link SelfSubjectAccessReview}. */
export type SelfSubjectAccessReview = authorizationV1.SelfSubjectAccessReview;

/** Checks whether a user is allowed a request. */
export const SubjectAccessReview = builtinKind<authorizationV1.SubjectAccessReview>(
  'authorization.v1.SubjectAccessReview',
  operation,
);

/** An object of the kind {@link SubjectAccessReview}. */
export type SubjectAccessReview = authorizationV1.SubjectAccessReview;

/**
 * Checks whether a user is allowed a request in one namespace, so that the right to check can be granted by namespace.
 */
export const LocalSubjectAccessReview = builtinKind<authorizationV1.LocalSubjectAccessReview>(
  'authorization.v1.LocalSubjectAccessReview',
  operation,
);

/** An object of the kind {@link LocalSubjectAccessReview}. */
export type LocalSubjectAccessReview = authorizationV1.LocalSubjectAccessReview;

/** Lists the permissions of the caller in a namespace. For user interfaces, not for authorization decisions. */
export const SelfSubjectRulesReview = builtinKind<authorizationV1.SelfSubjectRulesReview>(
  'authorization.v1.SelfSubjectRulesReview',
  operation,
);

/** An object of the kind {@link SelfSubjectRulesReview}. */
export type SelfSubjectRulesReview = authorizationV1.SelfSubjectRulesReview;

/** The decoded fields of a SubjectAccessReview. */
export type SubjectAccessReviewFields = FieldsOf<authorizationV1.SubjectAccessReview>;
/** The decoded fields of a SelfSubjectAccessReview. */
export type SelfSubjectAccessReviewFields = FieldsOf<authorizationV1.SelfSubjectAccessReview>;
/** The decoded fields of a SelfSubjectRulesReview. */
export type SelfSubjectRulesReviewFields = FieldsOf<authorizationV1.SelfSubjectRulesReview>;
