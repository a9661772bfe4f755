import type { LabelSelectorObject } from '../../../machinery/index.js';
import type { Attributes } from '../attributes.js';
import type { Decision } from '../authorizer.js';
import type { BindingKind } from '../rbac/policy/grant.js';
import type { PolicyRule, RoleRef, Subject } from '../rbac/types.js';
import type { BindingManifest, RoleManifest } from './manifests.js';
import type { Miss } from './misses.js';
import type { RuleTrial } from './rule-misses.js';

/** The decision of one authorizer. */
export interface Opinion extends Decision {
  /** Name of the authorizer: `system:masters`, `RBAC`. */
  readonly name: string;
}

/** The part of a binding that explanations show. */
export interface ExplainedBinding {
  readonly kind: BindingKind;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
}

/** A binding that applies to the user and the request's namespace, with all its rules tried. */
export interface BindingTrial {
  readonly binding: ExplainedBinding;
  /** The first of its subjects that matches the user. */
  readonly subject: Subject;
  /** Absent when its role does not exist. */
  readonly rules?: readonly RuleTrial[] | undefined;
}

/** The aggregation of a cluster role. */
export interface Aggregation {
  /** Selectors of the aggregated cluster roles. */
  readonly selectors: readonly LabelSelectorObject[];
  /** Names of the aggregated cluster roles, sorted; at most 20. */
  readonly members: readonly string[];
  /** Members that would allow the request, but whose rules are not aggregated yet. */
  readonly allowing: readonly string[];
}

/** A binding that would allow the request after a small change. */
export interface NearMiss {
  readonly binding: ExplainedBinding;
  /** The nearest rule of its role; absent when the role has none or does not exist. */
  readonly rule?: PolicyRule | undefined;
  /** The differences: first of the binding, then of the rule. */
  readonly misses: readonly Miss[];
  /** Aggregation of the role, when it aggregates and the cluster roles are known. */
  readonly aggregation?: Aggregation | undefined;
}

/** The least-privilege role that would allow the request, as objects to apply. */
export interface Remedy {
  readonly role: RoleManifest;
  /** Absent when the user has neither a name nor a group to bind to. */
  readonly binding?: BindingManifest | undefined;
}

/** Explains why a request is allowed or refused. */
export interface AccessExplanation {
  readonly attributes: Attributes;
  readonly allowed: boolean;
  /** The authorizer that decided; absent when none had an opinion, which refuses the request. */
  readonly decidedBy?: string | undefined;
  /** Reason of the authorizer that decided, or the reasons of all when none had an opinion. */
  readonly reason: string;
  /** Decisions in order. Authorizers after the one that decided were not called. */
  readonly opinions: readonly Opinion[];
  /** The binding and the rule by which roles allow the request. */
  readonly allowedBy?:
    { readonly binding: ExplainedBinding; readonly subject: Subject; readonly rule: PolicyRule } | undefined;
  /**
   * Every binding that applies to the user and the request's namespace: cluster-wide bindings first, each kind by name.
   */
  readonly tried: readonly BindingTrial[];
  /** Number of tried rules that are not in {@link tried} because of the maximum. */
  readonly omitted: number;
  /** Bindings that are nearest to allowing the request, of any user and namespace. Empty when it is allowed. */
  readonly nearestMisses: readonly NearMiss[];
  /**
   * Absent when the request is allowed, and when a role would not help: RBAC is not used, or an earlier authorizer
   * denies.
   */
  readonly remedy?: Remedy | undefined;
}
