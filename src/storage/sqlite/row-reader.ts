import { createRequire } from 'node:module';
import { messageOf } from '../../foundation/index.js';
import type { Revision, StorageRecord } from '../storage.js';
import { StorageError } from '../storage.js';
import { damaged, refuse } from './refusal.js';
import type { SqliteDriver } from './thread-program.js';
import { readRows, ROW_OF } from './version-rows.js';

/** A statement, as both drivers have it. */
interface Statement {
  get(revision: Revision): unknown;
}

/** A database, as both drivers have it. */
interface Database {
  exec(sql: string): unknown;
  prepare(sql: string): Statement;
  close(): unknown;
}

type OpenDatabase = new (file: string) => Database;

/** Settings of the reader. It never writes, and the file is that of this process. */
const SETTINGS =
  'PRAGMA busy_timeout = 1000; PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;';

/**
 * Reads single rows of a store's file at once, on the thread of its caller: some microseconds for a row that the system
 * has in its file cache. The connection that writes must stay open meanwhile.
 */
export class RowReader {
  readonly #path: string;
  readonly #database: Database;
  readonly #row: Statement;
  #isClosed = false;

  /**
   * @param path path of the file, for messages
   * @throws what the driver throws when the file cannot be opened
   */
  constructor(driver: SqliteDriver, file: string, path: string) {
    this.#path = path;
    const Database = openerOf(driver);
    this.#database = new Database(file);
    this.#database.exec(SETTINGS);
    this.#row = this.#database.prepare(ROW_OF);
  }

  /**
   * Returns the text of a version as the file contains it.
   *
   * @throws StorageError `Unavailable` when the row is missing or damaged, or cannot be read
   */
  text({ key, modRevision }: Pick<StorageRecord, 'key' | 'modRevision'>): string {
    if (this.#isClosed) throw refuse('the storage is closed');
    const row = this.#entry(modRevision);
    if (row === undefined) throw damaged(this.#path, `the write of revision ${modRevision} is missing`);
    const [version] = readRows(row, 1).versions;
    if (version?.key !== key) throw damaged(this.#path, `the write of revision ${modRevision} is damaged`);
    return version.text;
  }

  close(): void {
    this.#isClosed = true;
    this.#database.close();
  }

  #entry(revision: Revision): Uint8Array | undefined {
    try {
      const row = this.#row.get(revision);
      return isRow(row) ? row.entry : undefined;
    } catch (error) {
      if (error instanceof StorageError) throw error;
      throw refuse(`the store ${this.#path} cannot be read: ${messageOf(error)}`, error);
    }
  }
}

function isRow(row: unknown): row is { readonly entry: Uint8Array } {
  return typeof row === 'object' && row !== null && 'entry' in row && row.entry instanceof Uint8Array;
}

/** Loads a driver, which the connection that writes has loaded before. */
function openerOf(driver: SqliteDriver): OpenDatabase {
  const require = createRequire(import.meta.url);
  const loaded: unknown = driver === 'libsql' ? require('libsql') : memberOf(require('node:sqlite'), 'DatabaseSync');
  if (!isOpener(loaded)) throw new TypeError(`${driver} has no class of databases`);
  return loaded;
}

const memberOf = (module: unknown, name: string): unknown =>
  typeof module === 'object' && module !== null ? Reflect.get(module, name) : undefined;

const isOpener = (value: unknown): value is OpenDatabase => typeof value === 'function';
