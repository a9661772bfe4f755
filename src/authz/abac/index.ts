/**
 * ABAC: a file of policies, read at start.
 *
 * @module
 */
export { createAbacAuthorizer } from './authorizer.js';
export { parseAbacPolicy, type AbacPolicyFile, type AbacPolicyOptions } from './parse-policy.js';
export type { AbacPolicy } from './policy.js';
