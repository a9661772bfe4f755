/**
 * Data of tests: objects from manifests.
 *
 * @module
 */
export { loadObjects, type LoadOptions } from './load.js';
export type { ObjectSource } from './sources.js';
