// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../meta/object.js';
import type { LabelSelector, ListMeta } from './meta-v1.js';

export type AggregationRule = {
  clusterRoleSelectors?: LabelSelector[] | undefined;
};

/** ClusterRole of `rbac.authorization.k8s.io/v1`. */
export type ClusterRole = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  rules?: PolicyRule[] | null | undefined;
  aggregationRule?: AggregationRule | undefined;
};

/** ClusterRoleBinding of `rbac.authorization.k8s.io/v1`. */
export type ClusterRoleBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  subjects?: Subject[] | undefined;
  roleRef: RoleRef;
};

/** ClusterRoleBindingList of `rbac.authorization.k8s.io/v1`. */
export type ClusterRoleBindingList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ClusterRoleBinding[];
};

/** ClusterRoleList of `rbac.authorization.k8s.io/v1`. */
export type ClusterRoleList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ClusterRole[];
};

export type PolicyRule = {
  verbs: string[];
  apiGroups?: string[] | undefined;
  resources?: string[] | undefined;
  resourceNames?: string[] | undefined;
  nonResourceURLs?: string[] | undefined;
};

/** Role of `rbac.authorization.k8s.io/v1`. */
export type Role = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  rules?: PolicyRule[] | null | undefined;
};

/** RoleBinding of `rbac.authorization.k8s.io/v1`. */
export type RoleBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  subjects?: Subject[] | undefined;
  roleRef: RoleRef;
};

/** RoleBindingList of `rbac.authorization.k8s.io/v1`. */
export type RoleBindingList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: RoleBinding[];
};

/** RoleList of `rbac.authorization.k8s.io/v1`. */
export type RoleList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Role[];
};

export type RoleRef = {
  apiGroup: string;
  kind: string;
  name: string;
};

export type Subject = {
  kind: string;
  apiGroup?: string | undefined;
  name: string;
  namespace?: string | undefined;
};
