/**
 * The admission plugin that restricts node agents to their own nodes.
 *
 * @module
 */
export { nodeRestriction, type NodeRestrictionOptions } from './plugin.js';
export type { FoundObject } from './rule.js';
