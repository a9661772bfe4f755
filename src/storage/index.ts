/**
 * The door of the storage: the contract of an engine, and the engines. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export type { WatchCacheOptions, WatchCacheStatus } from './cached/options.js';
export { decorateStorage, type StorageDecorator, type StorageOverrides, withDecorators } from './decorate.js';
export { heapShare } from './host-heap.js';
export {
  type CacheUse,
  DEFAULT_HISTORY_SHARE,
  DEFAULT_MEMORY_SHARE,
  type HeldEvent,
  type HistoryHolder,
  type LateUse,
  LEAST_OBJECTS_TEXT,
  MEMORY_USES,
  type MemoryAccount,
  MemoryBudget,
  type MemoryLimits,
  type MemoryUse,
  type NeededAccount,
  type NeededUse,
} from './memory-budget.js';
export { createMemoryStorage } from './memory/engine.js';
export { storageAt } from './storage-at.js';
export type {
  StorageIndex,
  StorageMatches,
  StorageQuery,
  StorageTerms,
  TermRequirement,
  TermsOf,
} from './storage-index.js';
export {
  type Revision,
  type Storage,
  StorageError,
  type StorageErrorCode,
  type StorageEvent,
  type StorageForkOptions,
  type StorageHealthChecks,
  type StorageListOptions,
  type StoragePage,
  type StorageReadOptions,
  type StorageRecord,
  type StorageWatch,
  type StorageWatchEnd,
  type StorageWatchSink,
  type StorageWriteOptions,
  type ValueEncoder,
} from './storage.js';
export {
  claimStore,
  readStoreMark,
  STORE_LAYOUT,
  STORE_MARK_KEY,
  type StoreMark,
  storeMarkText,
  UnusableStoreError,
} from './store-mark.js';
export { fillStore } from './transfer/fill-store.js';
export { type SnapshotRecord, type StoreSnapshot, takeSnapshot } from './transfer/snapshot.js';
