import type { LabelSelectorObject } from '../../selectors/labels.js';
import type { Attributes } from '../attributes.js';
import type { Decision } from '../authorizer.js';
import type { BindingKind } from '../rbac/grant.js';
import type { PolicyRule, RoleRef, Subject } from '../rbac/types.js';
import type { BindingManifest, RoleManifest } from './manifests.js';
import type { Miss } from './misses.js';
import type { RuleTrial } from './rule-misses.js';

/** What one authorizer of a server said. */
export interface Opinion extends Decision {
  /** By which the authorizer is known: `system:masters`, `RBAC`. */
  readonly name: string;
}

/** A binding, as explanations name it. */
export interface ExplainedBinding {
  readonly kind: BindingKind;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly name: string;
  readonly roleRef: RoleRef;
}

/** A binding of the user that holds where the request is, with all its rules tried. */
export interface BindingTrial {
  readonly binding: ExplainedBinding;
  /** The first of its subjects that stands for the user. */
  readonly subject: Subject;
  /** Absent when its role is not there. */
  readonly rules?: readonly RuleTrial[];
}

/** What a cluster role is the sum of. */
export interface Aggregation {
  /** Which cluster roles are in the sum. */
  readonly selectors: readonly LabelSelectorObject[];
  /** Names of the cluster roles that are in the sum, in their order; at most 20. */
  readonly members: readonly string[];
  /** Those of the members that would allow the request: the sum does not have their rules yet. */
  readonly allowing: readonly string[];
}

/** A binding that would allow the request if little were different. */
export interface NearMiss {
  readonly binding: ExplainedBinding;
  /** The rule of its role that comes nearest; absent when it has none, or the role is not there. */
  readonly rule?: PolicyRule;
  /** What would have to be different: first of the binding, then of the rule. */
  readonly misses: readonly Miss[];
  /** Of a role that is the sum of others, when these are known. */
  readonly aggregation?: Aggregation;
}

/** The least that would allow the request, as objects to apply. */
export interface Remedy {
  readonly role: RoleManifest;
  /** Absent when the user has neither a name nor a group to bind to. */
  readonly binding?: BindingManifest;
}

/** Why a request is allowed or not. */
export interface AccessExplanation {
  readonly attributes: Attributes;
  readonly allowed: boolean;
  /** The authorizer that decided; absent when none had an opinion, which refuses the request. */
  readonly decidedBy?: string;
  /** In the words of the authorizer that decided, or of all that had no opinion. */
  readonly reason: string;
  /** The authorizers in the order in which they were asked. Those behind the one that decided were not. */
  readonly opinions: readonly Opinion[];
  /** The binding and the rule by which roles allow the request. */
  readonly allowedBy?: { readonly binding: ExplainedBinding; readonly subject: Subject; readonly rule: PolicyRule };
  /** Every binding of the user that holds where the request is, those of the whole cluster first, each kind by name. */
  readonly tried: readonly BindingTrial[];
  /** Rules that were tried and are not in {@link tried}, because there are too many. */
  readonly untold: number;
  /** Bindings that come nearest to allowing the request, of anybody and anywhere. None when it is allowed. */
  readonly nearestMisses: readonly NearMiss[];
  /** Absent when the request is allowed, and when roles would not help: nobody asks for them, or another denies before. */
  readonly remedy?: Remedy;
}
