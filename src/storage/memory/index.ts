/**
 * The memory engine: everything in the process, nothing survives it.
 *
 * @module
 */
export { createMemoryStorage } from './engine.js';
export type { MemoryStorageOptions } from './engine.js';
