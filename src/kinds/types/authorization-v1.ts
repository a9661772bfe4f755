// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { FieldSelectorRequirement, LabelSelectorRequirement } from './meta-v1.js';

/** Field selector of a list, watch or deletecollection. */
export type FieldSelectorAttributes = {
  /** The selector in query form; ignored by this server. */
  rawSelector?: string | undefined;
  /** Requirements of the selector. All must match. */
  requirements?: FieldSelectorRequirement[] | undefined;
};

/** Label selector of a list, watch or deletecollection. */
export type LabelSelectorAttributes = {
  /** The selector in query form; ignored by this server. */
  rawSelector?: string | undefined;
  /** Requirements of the selector. All must match. */
  requirements?: LabelSelectorRequirement[] | undefined;
};

/** Checks whether a user or group is allowed a request in one namespace. */
export type LocalSubjectAccessReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** The request to check. */
  spec: SubjectAccessReviewSpec;
  /** Filled in by the server. */
  status?: SubjectAccessReviewStatus | undefined;
};

/** A request for a path that is not a resource. */
export type NonResourceAttributes = {
  /** Path of the URL. */
  path?: string | undefined;
  /** HTTP method in lower case. */
  verb?: string | undefined;
};

export type NonResourceRule = {
  /** HTTP methods in lower case; "*" for all. */
  verbs: string[];
  /** Paths; a trailing "*" matches everything. */
  nonResourceURLs?: string[] | undefined;
};

/** A resource request. Exactly one of resourceAttributes and nonResourceAttributes must be set. */
export type ResourceAttributes = {
  /** Namespace of the request; empty for all namespaces and for cluster-scoped kinds. */
  namespace?: string | undefined;
  /** A verb of the API, or "*" for all. */
  verb?: string | undefined;
  /** API group; empty for the core group, "*" for all. */
  group?: string | undefined;
  /** Version; "*" for all. */
  version?: string | undefined;
  /** Plural name of the resource; "*" for all. */
  resource?: string | undefined;
  /** Name of the subresource; empty for none. */
  subresource?: string | undefined;
  /** Name of the object; empty for all. */
  name?: string | undefined;
  /** Field selector of a list, watch or deletecollection. */
  fieldSelector?: FieldSelectorAttributes | undefined;
  /** Label selector of a list, watch or deletecollection. */
  labelSelector?: LabelSelectorAttributes | undefined;
};

export type ResourceRule = {
  /** Verbs; "*" for all. */
  verbs: string[];
  /** API groups; "*" for all. */
  apiGroups?: string[] | undefined;
  /** Resources; "*" for all. */
  resources?: string[] | undefined;
  /** Object names; empty for all. */
  resourceNames?: string[] | undefined;
};

/** Checks whether the caller is allowed a request. Every user may check their own access. */
export type SelfSubjectAccessReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** The request to check. */
  spec: SelfSubjectAccessReviewSpec;
  /** Filled in by the server. */
  status?: SubjectAccessReviewStatus | undefined;
};

/** The request to check. */
export type SelfSubjectAccessReviewSpec = {
  /** A resource request. Exactly one of resourceAttributes and nonResourceAttributes must be set. */
  resourceAttributes?: ResourceAttributes | undefined;
  /** A request for a path that is not a resource. */
  nonResourceAttributes?: NonResourceAttributes | undefined;
};

/** Lists the permissions of the caller in a namespace. For user interfaces, not for authorization decisions. */
export type SelfSubjectRulesReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** The rules to list. */
  spec: SelfSubjectRulesReviewSpec;
  /** Filled in by the server. */
  status?: SubjectRulesReviewStatus | undefined;
};

/** The rules to list. */
export type SelfSubjectRulesReviewSpec = {
  /** The namespace to check. */
  namespace?: string | undefined;
};

/** Checks whether a user or group is allowed a request. */
export type SubjectAccessReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** The request to check. */
  spec: SubjectAccessReviewSpec;
  /** Filled in by the server. */
  status?: SubjectAccessReviewStatus | undefined;
};

/** The request to check. */
export type SubjectAccessReviewSpec = {
  /** A resource request. Exactly one of resourceAttributes and nonResourceAttributes must be set. */
  resourceAttributes?: ResourceAttributes | undefined;
  /** A request for a path that is not a resource. */
  nonResourceAttributes?: NonResourceAttributes | undefined;
  /** Name of the user to check. At least one of user and groups must be set. */
  user?: string | undefined;
  /** Groups of the user. */
  groups?: string[] | undefined;
  /** Additional information about the user. */
  extra?: Record<string, string[]> | undefined;
  /** Uid of the user. */
  uid?: string | undefined;
};

/** Filled in by the server. */
export type SubjectAccessReviewStatus = {
  /** The request would be allowed. */
  allowed: boolean;
  /** The reason why the request was allowed or denied. */
  reason?: string | undefined;
  /** An error of the evaluation; the decision is valid nevertheless. */
  evaluationError?: string | undefined;
  /** The request would be denied, whatever another authorizer decides. Neither allowed nor denied means no opinion. */
  denied?: boolean | undefined;
};

/** Filled in by the server. */
export type SubjectRulesReviewStatus = {
  /** Rules of the user for resources. The order has no meaning. */
  resourceRules: ResourceRule[] | null;
  /** Rules of the user for other paths. The order has no meaning. */
  nonResourceRules: NonResourceRule[] | null;
  /** The list may be incomplete: an authorizer cannot list its rules. */
  incomplete: boolean;
  /** An error of the evaluation. */
  evaluationError?: string | undefined;
};
