/**
 * Carrying what is in a store to another: snapshots, and a store filled from one.
 *
 * @module
 */
export { fillStore, type FillOptions } from './fill-store.js';
export { takeSnapshot, type CarriedRecord, type StoreSnapshot } from './snapshot.js';
