/**
 * The etcd engine: the store is a cluster of etcd, and any number of servers may work on it.
 *
 * @module
 */
export { openEtcdStorage } from './open.js';
export type { EtcdStorageOptions, PemSource } from './options.js';
