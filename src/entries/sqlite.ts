/**
 * The file engine: durable storage for one process, on SQLite.
 *
 * @module
 */
export { openSqliteStorage, type SqliteDriver, type SqliteStorageOptions } from '../storage/sqlite/index.js';
