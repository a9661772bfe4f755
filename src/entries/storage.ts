/**
 * The contract of a storage engine, decorators of engines, and the memory that engines share with a server.
 *
 * @module
 */
export { decorateStorage, withDecorators, type StorageDecorator, type StorageOverrides } from '../storage/index.js';
export {
  MemoryBudget,
  type CacheUse,
  type HeldEvent,
  type HistoryHolder,
  type LateUse,
  type MemoryAccount,
  type MemoryLimits,
  type MemoryUse,
  type NeededAccount,
  type NeededUse,
} from '../storage/index.js';
export type { HistoryOptions } from '../storage/index.js';
export type {
  StorageIndex,
  StorageMatches,
  StorageQuery,
  StorageTerms,
  TermRequirement,
  TermsOf,
} from '../storage/index.js';
export {
  StorageError,
  type Revision,
  type Storage,
  type StorageErrorCode,
  type StorageEvent,
  type StorageForkOptions,
  type StorageEncryption,
  type StorageHealthChecks,
  type StorageListOptions,
  type StoragePage,
  type StorageCondition,
  type StorageReadOptions,
  type StorageRecord,
  type StorageWatch,
  type StorageWatchEnd,
  type StorageWatchSink,
  type StorageWriteOptions,
  type ValueEncoder,
} from '../storage/index.js';
export { UnusableStoreError } from '../storage/index.js';
