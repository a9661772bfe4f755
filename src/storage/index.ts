export * from './storage.js';
export * from './storage-index.js';
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
