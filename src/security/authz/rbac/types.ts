/**
 * The parts of RBAC objects that decisions read. Stored objects have these shapes, and plain objects can too: this
 * folder needs no server.
 *
 * @module
 */
import type { LabelSelectorObject } from '../../../machinery/index.js';

/** A policy rule: verbs on resources, or verbs on paths. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  /** Empty or absent: every name. */
  readonly resourceNames?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
}

/** A subject of a binding. */
export interface Subject {
  /** `User`, `Group` or `ServiceAccount`; any other kind matches no user. */
  readonly kind: string;
  readonly name: string;
  readonly apiGroup?: string | undefined;
  /** Namespace of a ServiceAccount; default the binding's. */
  readonly namespace?: string | undefined;
}

/** The reference of a binding to its role. */
export interface RoleRef {
  readonly apiGroup: string;
  /** `Role` or `ClusterRole`. */
  readonly kind: string;
  readonly name: string;
}

/** The metadata that decisions read. */
export interface RbacMeta {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** A Role, or a ClusterRole apart from its aggregation. */
export interface RoleObject {
  readonly metadata: RbacMeta;
  readonly rules?: readonly PolicyRule[] | null | undefined;
}

/** Selectors of the cluster roles whose rules a cluster role aggregates. */
export interface AggregationRule {
  readonly clusterRoleSelectors?: readonly LabelSelectorObject[] | undefined;
}

/** A ClusterRole. */
export interface ClusterRoleObject extends RoleObject {
  readonly aggregationRule?: AggregationRule | undefined;
}

/** A RoleBinding or ClusterRoleBinding. */
export interface BindingObject {
  readonly metadata: RbacMeta;
  readonly subjects?: readonly Subject[] | undefined;
  readonly roleRef: RoleRef;
}

/** Matches every verb, group, resource or path. */
export const ALL = '*';
