/**
 * The second door of this wing: what needs Node. The build and the tests see through it (scripts/doors.js).
 *
 * @module
 */
export type { EtcdStorageOptions, PemSource } from './etcd/options.js';
export type { PostgresStorageOptions } from './postgres/options.js';
export { syncDirectory } from './sqlite/store-file.js';
