// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';

export type BoundObjectReference = {
  kind?: string | undefined;
  apiVersion?: string | undefined;
  name?: string | undefined;
  uid?: string | undefined;
};

/** Returns the authenticated user of the request. With impersonation this is the impersonated user. */
export type SelfSubjectReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** Filled in by the server. */
  status?: SelfSubjectReviewStatus | undefined;
};

/** Filled in by the server. */
export type SelfSubjectReviewStatus = {
  /** The user that makes the request. */
  userInfo?: UserInfo | undefined;
};

/** TokenRequest of version v1 of the group authentication. */
export type TokenRequest = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: TokenRequestSpec;
  status?: TokenRequestStatus | undefined;
};

export type TokenRequestSpec = {
  audiences: string[] | null;
  boundObjectRef?: BoundObjectReference | null | undefined;
  expirationSeconds?: number | null | undefined;
};

export type TokenRequestStatus = {
  token: string;
  expirationTimestamp: string;
};

/** Authenticates a token and returns its user. */
export type TokenReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** The token to check. */
  spec: TokenReviewSpec;
  /** Filled in by the server. */
  status?: TokenReviewStatus | undefined;
};

/** The token to check. */
export type TokenReviewSpec = {
  /** The opaque bearer token. */
  token?: string | undefined;
  /** Audiences of the caller. The token must be for at least one of them. Default: the audiences of the API server. */
  audiences?: string[] | undefined;
};

/** Filled in by the server. */
export type TokenReviewStatus = {
  /** The token belongs to a known user. */
  authenticated?: boolean | undefined;
  /** The user of the token. */
  user?: UserInfo | undefined;
  /** The reason why the token could not be checked. */
  error?: string | undefined;
  /** Audiences that the caller and the token share. A client that names audiences must check that one of them is in this list. */
  audiences?: string[] | undefined;
};

/** A user. */
export type UserInfo = {
  /** Name that identifies the user among all active users. */
  username?: string | undefined;
  /** Identifies the user over time: a user that is deleted and created again under the same name has another uid. */
  uid?: string | undefined;
  /** Groups of the user. */
  groups?: string[] | undefined;
  /** Additional information from the authenticator. */
  extra?: Record<string, string[]> | undefined;
};
