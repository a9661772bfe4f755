import type { authenticationV1, authenticationV1alpha1, authenticationV1beta1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';
import { operation } from '../operation.js';

/** Returns the authenticated user of the request; with impersonation this is the impersonated user. Not stored. */
export const SelfSubjectReview = builtinKind<authenticationV1.SelfSubjectReview>(
  'authentication.v1.SelfSubjectReview',
  operation,
);

/** An object of the kind {@link SelfSubjectReview}. */
export type SelfSubjectReview = authenticationV1.SelfSubjectReview;

/** SelfSubjectReview of version v1beta1. */
export const SelfSubjectReviewV1beta1 = builtinKind<authenticationV1beta1.SelfSubjectReview>(
  'authentication.v1beta1.SelfSubjectReview',
  operation,
);

/** An object of the kind {@link SelfSubjectReviewV1beta1}. */
export type SelfSubjectReviewV1beta1 = authenticationV1beta1.SelfSubjectReview;

/** SelfSubjectReview of version v1alpha1. */
export const SelfSubjectReviewV1alpha1 = builtinKind<authenticationV1alpha1.SelfSubjectReview>(
  'authentication.v1alpha1.SelfSubjectReview',
  operation,
);

/** An object of the kind {@link SelfSubjectReviewV1alpha1}. */
export type SelfSubjectReviewV1alpha1 = authenticationV1alpha1.SelfSubjectReview;
