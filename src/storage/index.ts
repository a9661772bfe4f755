export * from './storage.js';
export * from './storage-index.js';
export { decorateStorage, withDecorators, type StorageDecorator, type StorageOverrides } from './decorate.js';
export {
  claimStore,
  readStoreMark,
  STORE_LAYOUT,
  STORE_MARK_KEY,
  storeMarkText,
  UnusableStoreError,
  type StoreMark,
} from './store-mark.js';
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
} from './memory-budget.js';
