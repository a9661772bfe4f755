/**
 * Copies a store to another: snapshots, and filling a store from one.
 *
 * @module
 */
export { fillStore, type FillOptions } from './fill-store.js';
export { takeSnapshot, type SnapshotRecord, type StoreSnapshot } from './snapshot.js';
