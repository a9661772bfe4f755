/**
 * Attribute-based access control (ABAC): a policy file, read at startup.
 *
 * @module
 */
export { createAbacAuthorizer } from './authorizer.js';
export { parseAbacPolicy, type AbacPolicyFile, type AbacPolicyOptions } from './parse-policy.js';
export type { AbacPolicy } from './policy.js';
