import type { authenticationV1alpha1, authenticationV1beta1 } from '../../kinds/index.js';
import { builtinKind } from '../builtin-kind.js';
import { plain } from '../plain.js';

/** SelfSubjectReview of version v1beta1. */
export const SelfSubjectReviewV1beta1 = builtinKind<authenticationV1beta1.SelfSubjectReview>(
  'authentication.v1beta1.SelfSubjectReview',
  { load: plain },
);

/** SelfSubjectReview of version v1alpha1. */
export const SelfSubjectReviewV1alpha1 = builtinKind<authenticationV1alpha1.SelfSubjectReview>(
  'authentication.v1alpha1.SelfSubjectReview',
  { load: plain },
);
