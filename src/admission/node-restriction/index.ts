/**
 * The admission plugin that keeps node agents to their own nodes.
 *
 * @module
 */
export { nodeRestriction, type NodeRestrictionOptions } from './plugin.js';
export type { FoundObject } from './rule.js';
