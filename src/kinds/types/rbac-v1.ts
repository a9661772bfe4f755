// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { LabelSelector, ListMeta } from './meta-v1.js';

/** Makes the rules the union of the rules of other cluster roles. Only the control plane then writes the rules. */
export type AggregationRule = {
  /** Selects the aggregated cluster roles by label. A role must match at least one selector. */
  clusterRoleSelectors?: LabelSelector[] | undefined;
};

/** Permissions in the whole cluster, or in the namespace of a role binding. Rules only allow; there are no deny rules. */
export type ClusterRole = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** Rules of the role: the requests that it allows. */
  rules?: PolicyRule[] | null | undefined;
  /** Makes the rules the union of the rules of other cluster roles. Only the control plane then writes the rules. */
  aggregationRule?: AggregationRule | undefined;
};

/** Grants a cluster role to users, groups and service accounts in the whole cluster. */
export type ClusterRoleBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** Users, groups and service accounts that get the role. */
  subjects?: Subject[] | undefined;
  /** The role. Immutable. */
  roleRef: RoleRef;
};

/** ClusterRoleBindingList of version v1 of the group rbac. */
export type ClusterRoleBindingList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ClusterRoleBinding[];
};

/** ClusterRoleList of version v1 of the group rbac. */
export type ClusterRoleList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: ClusterRole[];
};

export type PolicyRule = {
  /** Allowed verbs; * for all. */
  verbs: string[];
  /** API groups of the resources; empty for the core group, * for all. */
  apiGroups?: string[] | undefined;
  /** Plural names of resources, resource/subresource, *\/subresource for the subresource of all resources, or * for all. */
  resources?: string[] | undefined;
  /** Object names; empty for all. */
  resourceNames?: string[] | undefined;
  /** Paths that are not resources, with a trailing * for everything below. For cluster roles only, and not together with resources. */
  nonResourceURLs?: string[] | undefined;
};

/** Permissions in its namespace. Rules only allow; there are no deny rules. */
export type Role = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** Rules of the role: the requests that it allows. */
  rules?: PolicyRule[] | null | undefined;
};

/** Grants a role to users, groups and service accounts in its namespace. */
export type RoleBinding = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  /** Users, groups and service accounts that get the role. */
  subjects?: Subject[] | undefined;
  /** The role. Immutable. */
  roleRef: RoleRef;
};

/** RoleBindingList of version v1 of the group rbac. */
export type RoleBindingList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: RoleBinding[];
};

/** RoleList of version v1 of the group rbac. */
export type RoleList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: Role[];
};

/** The role. Immutable. */
export type RoleRef = {
  /** Group of the role. */
  apiGroup: string;
  /** Role or ClusterRole. */
  kind: string;
  /** Name of the role. */
  name: string;
};

export type Subject = {
  /** User, Group or ServiceAccount. */
  kind: string;
  /** API group of the kind: empty for a ServiceAccount, the RBAC group otherwise. */
  apiGroup?: string | undefined;
  /** Name of the user, group or account. Case-sensitive. */
  name: string;
  /** Namespace of a ServiceAccount. */
  namespace?: string | undefined;
};
