// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../meta/object.js';

export type BoundObjectReference = {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
};

/** SelfSubjectReview of `authentication.k8s.io/v1`. */
export type SelfSubjectReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  status?: SelfSubjectReviewStatus | undefined;
};

export type SelfSubjectReviewStatus = {
  userInfo?: UserInfo | undefined;
};

/** TokenRequest of `authentication.k8s.io/v1`. */
export type TokenRequest = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: TokenRequestSpec;
  status?: TokenRequestStatus | undefined;
};

export type TokenRequestSpec = {
  audiences: string[];
  boundObjectRef?: BoundObjectReference | null | undefined;
  expirationSeconds?: number | null | undefined;
};

export type TokenRequestStatus = {
  token: string;
  expirationTimestamp: string;
};

/** TokenReview of `authentication.k8s.io/v1`. */
export type TokenReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: TokenReviewSpec;
  status?: TokenReviewStatus | undefined;
};

export type TokenReviewSpec = {
  token?: string | undefined;
  audiences?: string[] | undefined;
};

export type TokenReviewStatus = {
  authenticated?: boolean | undefined;
  user?: UserInfo | undefined;
  error?: string | undefined;
  audiences?: string[] | undefined;
};

export type UserInfo = {
  username?: string | undefined;
  uid?: string | undefined;
  groups?: string[] | undefined;
  extra?: Record<string, string[]> | undefined;
};
