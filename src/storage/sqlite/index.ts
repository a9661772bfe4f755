/**
 * The file engine: durable storage for one process, on SQLite.
 *
 * @module
 */
export { buildSqliteStore } from './build.js';
export type { SqliteBuildOptions } from './build.js';
export { checkSqliteStore } from './check.js';
export type { SqliteReport } from './check.js';
export { OpeningFailure } from './connection.js';
export { openSqliteStorage } from './open.js';
export type { SqliteStorageOptions } from './open.js';
export { openSqliteSnapshot } from './snapshot.js';
export type { SqliteFileOptions } from './snapshot.js';
export { vacuumSqliteStore } from './vacuum.js';
export type { SqliteDriver } from './thread-program.js';
