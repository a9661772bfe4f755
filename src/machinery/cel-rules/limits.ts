/**
 * Limits of validation rules: static ones, checked when rules are written, and those of an evaluation.
 *
 * @module
 */

/** Maximum cost of one evaluation of one rule. */
export const RULE_COST_LIMIT = 1_000_000;
/** Maximum cost of all rules for one object. */
export const OBJECT_COST_BUDGET = 10_000_000;
/** Maximum estimated cost of one rule, times the number of values it may apply to. */
export const ESTIMATED_RULE_COST_LIMIT = 10_000_000;
/** Maximum estimated cost of all rules of a schema. */
export const ESTIMATED_SCHEMA_COST_LIMIT = 100_000_000;
/** Maximum size of a message that an expression returns, in bytes. */
export const MAX_MESSAGE_BYTES = 5 * 1024;
/** Maximum size of a request, in bytes: what no value can exceed. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;
