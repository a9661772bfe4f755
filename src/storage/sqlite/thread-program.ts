/**
 * The program of the database thread. It runs SQL and is independent of versions and revisions.
 *
 * It is a text, because a worker in a separate file could not be found when the sources run directly, nor in a bundle
 * of the package. It is a CommonJS script, so `require` exists. `workerData` is a {@link ThreadData}, each message a
 * {@link ThreadRequest}. Each message gets one {@link ThreadAnswer}, in order; so does the start.
 *
 * @module
 */

/** The name of a SQLite library. */
export type SqliteDriver = 'node:sqlite' | 'libsql';

/** A value that SQLite stores and returns. */
export type SqlValue = string | number | Uint8Array | null;

/** A statement with its parameters. */
export type SqlStep = readonly [sql: string, ...parameters: SqlValue[]];

/** The data that the thread starts with. */
export interface ThreadData {
  readonly driver: SqliteDriver;
  /** URL of the module from which `libsql` is resolved. */
  readonly base: string;
}

/** A file, and how a connection to it begins. */
export interface OpenedFile {
  readonly file: string;
  /** File that stays locked while the thread lives; undefined for a reader. */
  readonly lockFile: string | undefined;
  /** Statements that a new connection runs first. */
  readonly settings: string;
}

/** A request to the thread. */
export type ThreadRequest =
  /** Locks a file and opens a connection to it. The first request. */
  | { readonly kind: 'open'; readonly file: OpenedFile }
  /** Runs the steps of a transaction, all or none of them. */
  | { readonly kind: 'transact'; readonly steps: readonly SqlStep[] }
  /** Runs a step outside of a transaction. */
  | { readonly kind: 'run'; readonly step: SqlStep }
  /** Closes the connection and opens another under the same lock. */
  | { readonly kind: 'reopen' }
  | { readonly kind: 'close' };

/** An answer of the thread. */
export interface ThreadAnswer {
  readonly rows?: readonly SqlValue[][] | undefined;
  readonly failure?:
    | {
        /** Extended SQLite result code; 0 when the failure is not SQLite's. */
        readonly code: number;
        readonly message: string;
        /** The phase in which the failure occurred. */
        readonly during: 'loading' | 'locking' | 'opening' | 'working';
      }
    | undefined;
}

/** The program. */
export const THREAD_PROGRAM = `'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { driver, base } = workerData;
let during = 'loading', Database, opened, lock, database, statements;

function connect() {
  during = 'opening';
  statements = new Map();
  database = new Database(opened.file);
  database.exec(opened.settings);
  during = 'working';
}

function prepare(sql) {
  let statement = statements.get(sql);
  if (statement !== undefined) return statement;
  statement = database.prepare(sql);
  // Each driver has its own way to return rows as arrays; the oldest one has none.
  if (statement.setReturnArrays !== undefined) statement.setReturnArrays(true);
  else if (statement.reader === true) statement.raw(true);
  statements.set(sql, statement);
  return statement;
}

const run = ([sql, ...parameters]) => prepare(sql).all(...parameters);
const arrays = (rows) => rows.map((row) => (Array.isArray(row) ? row : Object.values(row)));

function transact(steps) {
  run(['BEGIN IMMEDIATE']);
  try {
    for (const step of steps) run(step);
    run(['COMMIT']);
  } catch (error) {
    // Some failures end the transaction by themselves; there is nothing to roll back then.
    try { run(['ROLLBACK']); } catch {}
    throw error;
  }
  return [];
}

function open({ file }) {
  opened = file;
  const { lockFile } = opened;
  during = 'locking';
  if (lockFile !== undefined) {
    lock = new Database(lockFile);
    // The lock stays after the end of the transaction, so that others can read in the file who holds it.
    lock.exec('PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
    try {
      lock.exec('PRAGMA user_version=' + process.pid + '; COMMIT');
    } catch {
      // A full disk has no room for the number. The lock stays.
    }
  }
  connect();
  return [];
}

const actions = {
  open,
  transact: ({ steps }) => transact(steps),
  run: ({ step }) => run(step),
  reopen: () => {
    try { database.close(); } catch {}
    connect();
    return [];
  },
  close: () => {
    database.close();
    if (lock !== undefined) lock.close();
    return [];
  },
};

function answer(action) {
  try {
    parentPort.postMessage({ rows: arrays(action()) });
  } catch (error) {
    parentPort.postMessage({ failure: { code: error.errcode ?? error.rawCode ?? 0, message: error.message, during } });
  }
}

answer(() => {
  Database = driver === 'libsql' ? require('node:module').createRequire(base)('libsql') : require('node:sqlite').DatabaseSync;
  return [];
});
parentPort.on('message', (request) => answer(() => actions[request.kind](request)));
`;
