/**
 * The memory engine: keeps everything in the process; nothing survives its end.
 *
 * @module
 */
export { createMemoryStorage } from './engine.js';
export type { MemoryStorageOptions } from './engine.js';
