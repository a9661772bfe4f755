/**
 * The etcd engine: stores objects in an etcd cluster that any number of servers may share.
 *
 * @module
 */
export { openEtcdStorage } from './open.js';
export type { EtcdStorageOptions, PemSource } from './options.js';
export type { EngineWatchCacheOptions } from '../cached/index.js';
