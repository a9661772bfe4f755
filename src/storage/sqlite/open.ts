import { isBuiltin } from 'node:module';
import type { Clock } from '../../meta/clock.js';
import { messageOf } from '../../meta/error-message.js';
import { StoreState } from '../state/store-state.js';
import type { HistoryOptions } from '../state/store-state.js';
import { StorageError } from '../storage.js';
import type { Revision, Storage } from '../storage.js';
import { OpeningFailure, SqliteConnection } from './connection.js';
import type { StoreConnection } from './connection.js';
import { SqliteStorage } from './engine.js';
import { readFacts } from './facts.js';
import { ResultCode, SqliteFailure } from './failure.js';
import { Garbage } from './garbage.js';
import { damaged, refuse } from './refusal.js';
import { Replay, versionsAfter } from './replay.js';
import { assertKnown, migrate } from './schema.js';
import { identityOf, logSizeOf, makeFile } from './store-file.js';
import type { SqliteDriver } from './thread-program.js';
import { WriteQueue } from './write-queue.js';

/** What {@link openSqliteStorage} is made from. */
export interface SqliteStorageOptions extends HistoryOptions {
  /** The file. It is made, with the directories to it, when it does not exist. Beside it stand its log (`-wal`, `-shm`) and its lock (`-lock`). */
  readonly path: string;
  /** Tells the age of the history and the time of expiries. */
  readonly clock: Clock;
  /**
   * What an acknowledged write survives. `full`, the default: the end of the process, of the system, and a power cut.
   * `relaxed`: the end of the process; a power cut or a crash of the system may take the last writes with it, never the
   * order of what is left.
   */
  readonly durability?: 'full' | 'relaxed';
  /** The library that speaks to the file; by default `node:sqlite` where this Node has it, and `libsql`, to be installed beside this package, where not. */
  readonly driver?: SqliteDriver;
  /** Puts a revision into a text. Used for the last version of a key that vanishes by itself after a restart: the function that its writer gave is gone then. Absent: the text stays as it was written. */
  stampRevision?(text: string, revision: Revision): string;
}

/** Bytes that the log keeps on disk when it was longer for a while. */
const LOG_SIZE = 64 << 20;

/** What a connection that writes begins with. */
export function settingsFor(durability: 'full' | 'relaxed'): string {
  return [
    'busy_timeout = 5000',
    'trusted_schema = OFF',
    'cell_size_check = ON',
    'temp_store = MEMORY',
    `synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`,
    // Where fsync alone does not empty the cache of the disk, as on macOS.
    `fullfsync = ${durability === 'full' ? 'ON' : 'OFF'}`,
    'checkpoint_fullfsync = ON',
    // The queue of writes chooses when.
    'wal_autocheckpoint = 0',
    `journal_size_limit = ${LOG_SIZE}`,
  ]
    .map((setting) => `PRAGMA ${setting};`)
    .join(' ');
}

/**
 * Opens a store in a file, for this process alone, and reads it.
 *
 * @throws StorageError `Unavailable` when another process has it open, when it is not a store, of a newer layout or damaged,
 * or when there is no library for SQLite; the message names the way out
 */
export async function openSqliteStorage(options: SqliteStorageOptions): Promise<Storage> {
  const { path, durability = 'full', driver = defaultDriver() } = options;
  try {
    makeFile(path);
    makeFile(`${path}-lock`);
    assertKnown(path, identityOf(path));
    const connection = await SqliteConnection.open({
      driver,
      file: path,
      lockFile: `${path}-lock`,
      settings: settingsFor(durability),
    });
    try {
      await migrate(connection, path);
      return await readStorage(connection, options);
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw explained(error, path);
  }
}

/** Brings the whole file into memory, every row of it checked. @throws StorageError when it is damaged, SqliteFailure */
export async function readStorage(connection: StoreConnection, options: SqliteStorageOptions): Promise<Storage> {
  const { path, clock, stampRevision = (text) => text } = options;
  const garbage = new Garbage();
  const state = new StoreState({
    ...options,
    expire: (expiry) => storage.expire(expiry),
    forgotten: (event) => garbage.addOf(event),
  });
  const { compacted, lastWrittenAt } = await readFacts(connection, path);
  // Time in which the store was closed does not age its history: a watcher that comes back after it goes on where it was.
  const laterBy = lastWrittenAt === undefined ? 0 : Math.floor(clock.now()) - lastWrittenAt;
  const replay = new Replay({ state, garbage, path, compacted, laterBy });
  state.beginReading(compacted);
  for await (const versions of versionsAfter(connection, path, 0)) {
    for (const version of versions) replay.add(version);
  }
  // The pages are looked at on the other thread while the keys are put in order here.
  const checking = connection.run('PRAGMA quick_check(1)');
  state.endReading();
  const [[found] = []] = await checking;
  if (found !== 'ok') throw damaged(path, String(found));
  const queue = new WriteQueue({ connection, state, garbage, path, compacted, laterBy, loggedBytes: logSizeOf(path) });
  const storage = new SqliteStorage({ clock, state, connection, queue, stampRevision });
  state.startExpiry();
  return storage;
}

/** The library that this Node speaks to SQLite's files by. */
export const defaultDriver = (): SqliteDriver => (isBuiltin('node:sqlite') ? 'node:sqlite' : 'libsql');

/** An error of opening, in words that say what to do. */
export function explained(error: unknown, path: string): Error {
  if (error instanceof StorageError) return error;
  if (error instanceof OpeningFailure && error.during === 'loading') {
    return refuse(
      'a store in a file needs Node 22.13 or later, which has SQLite built in, or the package libsql: npm install libsql',
      error,
    );
  }
  if (error instanceof OpeningFailure && error.during === 'locking' && error.code === ResultCode.Busy)
    return refuse(`the store ${path} is in use by another process`, error);
  if (error instanceof SqliteFailure && (error.code === ResultCode.Corrupt || error.code === ResultCode.NotADatabase))
    return damaged(path, error.message, error);
  return refuse(`the store ${path} cannot be opened: ${messageOf(error)}`, error);
}
