export * from './storage.js';
export { claimStore, readStoreMark, STORE_LAYOUT, STORE_MARK_KEY, storeMarkText, UnusableStoreError, type StoreMark } from './store-mark.js';
