// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../meta/object.js';
import type { FieldSelectorRequirement, LabelSelectorRequirement } from './meta-v1.js';

export type FieldSelectorAttributes = {
  rawSelector?: string | undefined;
  requirements?: FieldSelectorRequirement[] | undefined;
};

export type LabelSelectorAttributes = {
  rawSelector?: string | undefined;
  requirements?: LabelSelectorRequirement[] | undefined;
};

/** LocalSubjectAccessReview of `authorization.k8s.io/v1`. */
export type LocalSubjectAccessReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus | undefined;
};

export type NonResourceAttributes = {
  path?: string | undefined;
  verb?: string | undefined;
};

export type NonResourceRule = {
  verbs: string[];
  nonResourceURLs?: string[] | undefined;
};

export type ResourceAttributes = {
  namespace?: string | undefined;
  verb?: string | undefined;
  group?: string | undefined;
  version?: string | undefined;
  resource?: string | undefined;
  subresource?: string | undefined;
  name?: string | undefined;
  fieldSelector?: FieldSelectorAttributes | undefined;
  labelSelector?: LabelSelectorAttributes | undefined;
};

export type ResourceRule = {
  verbs: string[];
  apiGroups?: string[] | undefined;
  resources?: string[] | undefined;
  resourceNames?: string[] | undefined;
};

/** SelfSubjectAccessReview of `authorization.k8s.io/v1`. */
export type SelfSubjectAccessReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: SelfSubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus | undefined;
};

export type SelfSubjectAccessReviewSpec = {
  resourceAttributes?: ResourceAttributes | undefined;
  nonResourceAttributes?: NonResourceAttributes | undefined;
};

/** SelfSubjectRulesReview of `authorization.k8s.io/v1`. */
export type SelfSubjectRulesReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: SelfSubjectRulesReviewSpec;
  status?: SubjectRulesReviewStatus | undefined;
};

export type SelfSubjectRulesReviewSpec = {
  namespace?: string | undefined;
};

/** SubjectAccessReview of `authorization.k8s.io/v1`. */
export type SubjectAccessReview = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  spec: SubjectAccessReviewSpec;
  status?: SubjectAccessReviewStatus | undefined;
};

export type SubjectAccessReviewSpec = {
  resourceAttributes?: ResourceAttributes | undefined;
  nonResourceAttributes?: NonResourceAttributes | undefined;
  user?: string | undefined;
  groups?: string[] | undefined;
  extra?: Record<string, string[]> | undefined;
  uid?: string | undefined;
};

export type SubjectAccessReviewStatus = {
  allowed: boolean;
  reason?: string | undefined;
  evaluationError?: string | undefined;
  denied?: boolean | undefined;
};

export type SubjectRulesReviewStatus = {
  resourceRules: ResourceRule[];
  nonResourceRules: NonResourceRule[];
  incomplete: boolean;
  evaluationError?: string | undefined;
};
