/**
 * The door of the storage: the contract of an engine, and the engines. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export type { WatchCacheOptions, WatchCacheStatus } from './cached/options.js';
export { decorateStorage, withDecorators, type StorageDecorator, type StorageOverrides } from './decorate.js';
export { rewriteStale, type RewriteOptions, type RewrittenRecords } from './encrypted/rewrite.js';
export { covers, parseMask } from './encrypted/masks.js';
export { readEncrypted } from './encrypted/stored-form.js';
export { DATA_KEY_SECONDS, KMS_SECONDS, TRANSFORMATION_SECONDS } from './encrypted/durations.js';
export type {
  EncryptionCounter,
  EncryptionGauge,
  EncryptionHistogram,
  EncryptionTally,
  TallyHistogram,
  TallyLabels,
  TallyNumber,
} from './encrypted/tally.js';
export {
  plainValues,
  prepareAll,
  STORED_AS_IT_IS,
  storedValues,
  UnreadableValueError,
  UnwritableValueError,
  type EncryptionCheck,
  type PlainValue,
  type ResourceKeys,
  type StoredValue,
  type ValueCodec,
} from './encrypted/value-codec.js';
export { HistoryTimer, type AgingHistory } from './history-timer.js';
export { heapShare } from './host-heap.js';
export {
  bytesHeldBy,
  DEFAULT_HISTORY_SHARE,
  DEFAULT_MEMORY_SHARE,
  LEAST_OBJECTS_TEXT,
  MEMORY_USES,
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
} from './memory-budget.js';
export { SharedMemory } from './shared-memory.js';
export {
  createMemoryStorage,
  createReplayedStorage,
  type ReplayedStorage,
  type ReplayedWrite,
} from './memory/engine.js';
export { baseRecord, BaseRecords, restamped } from './partition/base-records.js';
export { isOvertaken } from './overtaken.js';
export { layeredStorage } from './partition/layered.js';
export { limitedStorage, type StoreLimits } from './partition/limited.js';
export { partPrefix } from './partition/part-keys.js';
export { partitionOf } from './partition/partition.js';
export { StoreUsage } from './partition/usage.js';
export type { HistoryOptions } from './state/history-options.js';
export { lengthOfText, unitsToRead, unreadableIn } from './record-texts.js';
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
  StorageError,
  type Revision,
  type Storage,
  type StorageCondition,
  type StorageEncryption,
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
export { replaceRecord, untilWritten } from './replace-record.js';
export { OLDEST_LAYOUT, ROTATED_KEYS_LAYOUT, STORE_LAYOUT } from './store-layout.js';
export {
  checkLayout,
  claimStore,
  minReaderOf,
  raiseLayoutOfMark,
  readStoreMark,
  STORE_MARK_KEY,
  storeMarkText,
  UnusableStoreError,
  type StoreMark,
} from './store-mark.js';
export { fillStore } from './transfer/fill-store.js';
export { takeSnapshot, type SnapshotRecord, type StoreSnapshot } from './transfer/snapshot.js';
