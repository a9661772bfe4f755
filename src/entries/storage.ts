export * from '../storage/storage.js';
export * from '../storage/storage-index.js';
export { decorateStorage, withDecorators, type StorageDecorator, type StorageOverrides } from '../storage/decorate.js';
export {
  claimStore,
  readStoreMark,
  STORE_LAYOUT,
  STORE_MARK_KEY,
  storeMarkText,
  UnusableStoreError,
  type StoreMark,
} from '../storage/store-mark.js';
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
} from '../storage/memory-budget.js';
