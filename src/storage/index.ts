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
export { HistoryBudget, type HeldEvent, type HistoryHolder } from './history-budget.js';
