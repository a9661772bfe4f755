export * from '../../storage/etcd/index.js';
