/**
 * A copy of a store in this process that answers reads: a decorator for engines whose reads are requests.
 *
 * @module
 */
export { watchCacheDecorators, type EngineWatchCacheOptions } from './engine-option.js';
export { watchCache } from './watch-cache.js';
export type { WatchCacheLoss, WatchCacheOptions, WatchCacheStatus } from './options.js';
