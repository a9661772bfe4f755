/**
 * The PostgreSQL engine: durable storage for several processes, in a database that a team already runs.
 *
 * @module
 */
export type { EngineWatchCacheOptions } from '../cached/index.js';
export type { PostgresClient, PostgresPool, PostgresQuery } from './driver.js';
export { postgresSchemaSql } from './layout.js';
export { openPostgresStorage } from './open.js';
export type { PostgresStorageOptions } from './options.js';
