// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { UserInfo } from './authentication-v1.js';

/** SelfSubjectReview of version v1alpha1 of the group authentication. */
export type SelfSubjectReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  status?: SelfSubjectReviewStatus | undefined;
};

export type SelfSubjectReviewStatus = {
  userInfo?: UserInfo | undefined;
};
