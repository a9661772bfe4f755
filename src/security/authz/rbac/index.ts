/**
 * Role-based access control (RBAC): roles and their bindings.
 *
 * @module
 */
export { onlyCollectorFieldsDiffer } from '../../../foundation/index.js';
export { aggregateRules, sameRules } from './aggregate.js';
export { createRbacAuthorizer, type SynchronousAuthorizer } from './authorizer.js';
export { CompiledRules } from './policy/compiled-rules.js';
export { breakDown, coveringRules, type Covering, type CoveringOptions } from './covering.js';
export type { ServedFeatures } from './default-policy/component-roles.js';
export { defaultRbacPolicy, type DefaultObject, type DefaultPolicy } from './default-policy/default-policy.js';
export {
  checkBinding,
  checkRoleEscalation,
  escalationPorts,
  type EscalationPorts,
  type RbacWrite,
  type RoleWrite,
} from './escalation.js';
export { BoundRole, Grant, type BindingKind } from './policy/grant.js';
export {
  aggregationLabel,
  autoupdateAnnotation,
  BOOTSTRAPPING,
  bootstrappingLabel,
  type AggregatedRole,
} from './markers.js';
export { missingRolesText, type RoleNaming } from './missing-roles.js';
export { RbacPolicy, type UserBinding } from './policy/policy.js';
export { isBindingObject, isRoleObject } from './shapes.js';
export type { PolicyPart } from './policy/policy-part.js';
export {
  reconcileBinding,
  reconcileRole,
  type BindingReconciliation,
  type Reconciliation,
  type ReconcileOperation,
  type RoleReconciliation,
} from './reconcile.js';
export { RoleEntry } from './policy/role-table.js';
export {
  combinedResource,
  resourceMatches,
  ruleAllows,
  rulesAllow,
  urlMatches,
  type RuleAttributes,
} from './policy/rule-match.js';
export { compactRules, ruleText } from './rule-text.js';
export { effectiveRules, rulesFor, type EffectiveRules } from './rules-for.js';
export { appliesTo, describeSubject, identityOf, type Identity } from './subjects.js';
export type {
  AggregationRule,
  BindingObject,
  ClusterRoleObject,
  PolicyRule,
  RbacMeta,
  RoleObject,
  RoleRef,
  Subject,
} from './types.js';
