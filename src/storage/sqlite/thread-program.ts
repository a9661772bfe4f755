/**
 * The program of the thread that owns the database. It knows SQL and nothing of versions or revisions.
 *
 * It is a text, because a worker that is a file of its own is found neither where the sources run as they are nor in what
 * a bundler makes of the package. It is a script, so `require` is there. `workerData` is a {@link ThreadData}, a message a
 * {@link ThreadRequest}; each message but `begin` and
 * `discard` gets one {@link ThreadAnswer}, in order, and so does the start.
 *
 * @module
 */

/** The name of a library that speaks to SQLite files. */
export type SqliteDriver = 'node:sqlite' | 'libsql';

/** What SQLite stores and gives back. */
export type SqlValue = string | number | Uint8Array | null;

/** A statement with its parameters. */
export type SqlStep = readonly [sql: string, ...parameters: SqlValue[]];

/** What the thread is started with. */
export interface ThreadData {
  readonly driver: SqliteDriver;
  /** The module that `libsql` is looked for from, as a URL. */
  readonly base: string;
  readonly file: string;
  /** Held locked for as long as the thread lives; undefined for who only reads. */
  readonly lockFile: string | undefined;
  /** What a new connection begins with. */
  readonly settings: string;
}

/** What the thread is asked to do. */
export type ThreadRequest =
  /** Run the first steps of a transaction. There is no answer: `transact` completes it, or says what failed. */
  | { readonly kind: 'begin'; readonly steps: readonly SqlStep[] }
  /** Take back what was begun. There is no answer. */
  | { readonly kind: 'discard' }
  /** Run the steps, and those that the transaction was begun with: all or none of them. */
  | { readonly kind: 'transact'; readonly steps: readonly SqlStep[] }
  /** Run a step outside of a transaction. */
  | { readonly kind: 'run'; readonly step: SqlStep }
  /** Close the connection and open another, under the same lock. */
  | { readonly kind: 'reopen' }
  | { readonly kind: 'close' };

/** What the thread answers. */
export interface ThreadAnswer {
  readonly rows?: readonly SqlValue[][];
  readonly failure?: {
    /** SQLite's result code, extended; 0 when the failure is not SQLite's. */
    readonly code: number;
    readonly message: string;
    /** What was being done. */
    readonly during: 'loading' | 'locking' | 'opening' | 'working';
  };
}

/** The program. */
export const THREAD_PROGRAM = `'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { driver, base, file, lockFile, settings } = workerData;
let during = 'loading', Database, lock, database, statements;

function connect() {
  during = 'opening';
  statements = new Map();
  database = new Database(file);
  database.exec(settings);
  during = 'working';
}

function prepare(sql) {
  let statement = statements.get(sql);
  if (statement !== undefined) return statement;
  statement = database.prepare(sql);
  // Rows as arrays: each driver has its own way, and the oldest of them has none.
  if (statement.setReturnArrays !== undefined) statement.setReturnArrays(true);
  else if (statement.reader === true) statement.raw(true);
  statements.set(sql, statement);
  return statement;
}

const run = ([sql, ...parameters]) => prepare(sql).all(...parameters);
const arrays = (rows) => rows.map((row) => (Array.isArray(row) ? row : Object.values(row)));

// The transaction that is under way, and what went wrong in it before its end.
let begun = false, failed;

function rollBack() {
  if (!begun) return;
  begun = false;
  // Some failures end the transaction by themselves: there is nothing to roll back then.
  try { run(['ROLLBACK']); } catch {}
}

function begin(steps) {
  if (failed !== undefined) return;
  try {
    if (!begun) run(['BEGIN IMMEDIATE']);
    begun = true;
    for (const step of steps) run(step);
  } catch (error) {
    rollBack();
    failed = error;
  }
}

function discard() {
  rollBack();
  failed = undefined;
}

function transact(steps) {
  begin(steps);
  try {
    if (failed !== undefined) throw failed;
    run(['COMMIT']);
    begun = false;
    return [];
  } finally {
    discard();
  }
}

const actions = {
  transact: ({ steps }) => transact(steps),
  run: ({ step }) => run(step),
  reopen: () => {
    discard();
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
  during = 'locking';
  if (lockFile !== undefined) {
    lock = new Database(lockFile);
    // In memory, so that an empty file is all there is on disk.
    lock.exec('PRAGMA journal_mode=MEMORY; BEGIN EXCLUSIVE');
  }
  connect();
  return [];
});
parentPort.on('message', (request) => {
  if (request.kind === 'begin') begin(request.steps);
  else if (request.kind === 'discard') discard();
  else answer(() => actions[request.kind](request));
});
`;
