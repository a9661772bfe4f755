/**
 * The parts of this wing that load on first use, and need Node.
 *
 * @module
 */
export const importEncryption = () => import('./encrypted/index.js');
export const importEtcd = () => import('./etcd/index.js');
export const importPostgres = () => import('./postgres/index.js');
export const importSqlite = () => import('./sqlite/index.js');
