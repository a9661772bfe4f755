/**
 * The objects of access control, as far as decisions look at them. Stored objects have these shapes, and so may plain
 * ones: nothing here needs a server.
 *
 * @module
 */
import type { LabelSelectorObject } from '../../selectors/labels.js';

/** Something that is allowed: verbs on resources, or verbs on paths. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  /** Empty or absent: every name. */
  readonly resourceNames?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
}

/** Whom a binding is for. */
export interface Subject {
  /** `User`, `Group` or `ServiceAccount`; any other applies to nobody. */
  readonly kind: string;
  readonly name: string;
  readonly apiGroup?: string | undefined;
  /** Of a ServiceAccount; the binding's own when absent. */
  readonly namespace?: string | undefined;
}

/** The role of a binding. */
export interface RoleRef {
  readonly apiGroup: string;
  /** `Role` or `ClusterRole`. */
  readonly kind: string;
  readonly name: string;
}

/** What is read of an object's metadata. */
export interface RbacMeta {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** A Role, or a ClusterRole without regard to its aggregation. */
export interface RoleObject {
  readonly metadata: RbacMeta;
  readonly rules?: readonly PolicyRule[] | null | undefined;
}

/** Other cluster roles whose rules a cluster role has. */
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

/** Stands for every verb, group, resource or path. */
export const ALL = '*';
