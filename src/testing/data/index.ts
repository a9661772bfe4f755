/**
 * Data of tests: objects from manifests, fakes, and snapshots without what differs between runs.
 *
 * @module
 */
export { fake, type FakeOf, type FakeOptions } from './fake.js';
export { loadObjects, type LoadOptions } from './load.js';
export type { ObjectSource } from './sources.js';
export { normalize, snapshotSerializer, type NormalizeOptions, type SnapshotSerializer } from './normalize.js';
