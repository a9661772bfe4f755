export type { DecideAccess } from './access-decisions.js';
export { POLICY_OPERATIONS, ValidatingPolicies, type ValidatingPoliciesParts } from './validating-admission-policy.js';
