/**
 * Calculates how much the objects of a namespace use of the resources that quotas limit.
 *
 * @see release 1.31, `pkg/quota/v1/evaluator`
 * @module
 */
export { type Amounts } from './amounts.js';
export { QuotaCharges } from './charges.js';
export { claimEvaluator } from './claims.js';
export {
  countName,
  isCounted,
  requirementsOf,
  type MeasuredObject,
  type QuotaEvaluator,
  type ScopedQuota,
  type ScopeRequirement,
} from './evaluator.js';
export { QuotaLedger } from './ledger.js';
export { countedKind, objectCounts } from './object-counts.js';
export { podEvaluator } from './pods.js';
export { serviceEvaluator } from './services.js';
