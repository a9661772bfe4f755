/**
 * Role-based access control without a server: decisions by roles and bindings, the default policy, explanations of
 * decisions, and least-privilege roles.
 *
 * @module
 */
export type { Attributes, SelectorRequirement } from '../security/authz/attributes.js';
export { mastersAuthorizer, unionAuthorizers, type Authorizer, type Decision } from '../security/authz/authorizer.js';
export { explain, type ExplainOptions, type RbacObjects } from '../security/authz/explain/explain.js';
export type {
  AccessExplanation,
  Aggregation,
  BindingTrial,
  ExplainedBinding,
  NearMiss,
  Opinion,
  Remedy,
} from '../security/authz/explain/explanation.js';
export {
  leastRoles,
  leastRules,
  type LeastRole,
  type LeastRolesOptions,
} from '../security/authz/explain/least-privilege.js';
export type {
  BindingManifest,
  RoleManifest,
  RuleManifest,
  SubjectManifest,
} from '../security/authz/explain/manifests.js';
export type { Miss, MissDimension } from '../security/authz/explain/misses.js';
export type { RuleTrial } from '../security/authz/explain/rule-misses.js';
export { explanationText, missText } from '../security/authz/explain/text.js';
export { aggregateRules } from '../security/authz/rbac/aggregate.js';
export { createRbacAuthorizer, type SynchronousAuthorizer } from '../security/authz/rbac/authorizer.js';
export { coveringRules, type Covering, type CoveringOptions } from '../security/authz/rbac/covering.js';
export type { ServedFeatures } from '../security/authz/rbac/default-policy/component-roles.js';
export {
  defaultRbacPolicy,
  type DefaultObject,
  type DefaultPolicy,
} from '../security/authz/rbac/default-policy/default-policy.js';
export {
  checkBinding,
  checkRoleEscalation,
  escalationPorts,
  type EscalationPorts,
  type RbacWrite,
  type RoleWrite,
} from '../security/authz/rbac/escalation.js';
export type { PolicyPart } from '../security/authz/rbac/policy/policy-part.js';
export { RbacPolicy, type UserBinding } from '../security/authz/rbac/policy/policy.js';
export { ruleAllows, rulesAllow, type RuleAttributes } from '../security/authz/rbac/policy/rule-match.js';
export {
  reconcileBinding,
  reconcileRole,
  type BindingReconciliation,
  type Reconciliation,
  type ReconcileOperation,
  type RoleReconciliation,
} from '../security/authz/rbac/reconcile.js';
export type { BindingKind } from '../security/authz/rbac/policy/grant.js';
export { rulesFor, type EffectiveRules } from '../security/authz/rbac/rules-for.js';
export type {
  AggregationRule,
  BindingObject,
  ClusterRoleObject,
  PolicyRule,
  RbacMeta,
  RoleObject,
  RoleRef,
  Subject,
} from '../security/authz/rbac/types.js';
export type { NonResourceRule, ResourceRule, UserRules } from '../security/authz/rules.js';
