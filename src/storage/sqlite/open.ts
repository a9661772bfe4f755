import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import {
  aClock,
  aCount,
  aFunction,
  aName,
  checkedElsewhere,
  checkOptions,
  messageOf,
  nextTurn,
  oneOf,
  type Clock,
  type OptionChecks,
} from '../../foundation/index.js';
import { plainValues, type ValueCodec } from '../encrypted/value-codec.js';
import { historyChecks, type HistoryOptions } from '../state/history-options.js';
import { StoreState } from '../state/store-state.js';
import { StorageError } from '../storage.js';
import type { Revision, Storage } from '../storage.js';
import { ColdTexts } from './cold-texts.js';
import { OpeningFailure, SqliteConnection } from './connection.js';
import type { StoreConnection } from './connection.js';
import { SqliteStorage } from './engine.js';
import { readFacts } from './facts.js';
import { ResultCode, SqliteFailure } from './failure.js';
import { Garbage } from './garbage.js';
import { damaged, refuse } from './refusal.js';
import { NO_KEY_SERVICES, Replay, versionsAfter } from './replay.js';
import { headsAfter } from './row-pages.js';
import { assertKnown, migrate } from './schema.js';
import { identityOf, logSizeOf, makeFile, storeFileAt, type StoreFile } from './store-file.js';
import type { SqliteDriver } from './thread-program.js';
import { WriteQueue } from './write-queue.js';

/** Options of {@link openSqliteStorage}. */
export interface SqliteStorageOptions extends HistoryOptions {
  /**
   * Path of the file. It is created with its directories when it does not exist. Its log (`-wal`, `-shm`) and its lock
   * (`-lock`) are stored next to it, and next to the file itself when the path is a symbolic link.
   */
  readonly path: string;
  /** Clock for the age of the history and for expiries. */
  readonly clock: Clock;
  /**
   * The failures that an acknowledged write survives. `full` (default): the end of the process, a system crash, and a power loss.
   * `relaxed`: the end of the process. With `relaxed`, a power loss or a system crash may lose the last writes; the
   * others stay in order.
   */
  readonly durability?: 'full' | 'relaxed' | undefined;
  /**
   * The SQLite library. Default: `node:sqlite` where Node has it, else the package `libsql`, which must be installed.
   */
  readonly driver?: SqliteDriver | undefined;
  /**
   * Maximum memory of the texts of objects, in bytes, so that the store may be larger than memory. The keys, revisions and
   * indexes stay in memory: about 190 bytes for an object with a key of 60 characters. A text that was not used for some
   * time is read from the file again, and decrypted, on the thread of the server. Not together with an `encryption` by a
   * key service (KMS): such a read does not wait. Default: all texts are in memory.
   */
  readonly cacheObjects?: number | undefined;
  /** Encrypts the values in the store ({@link createEncryption}). Default: they are stored as they are. */
  readonly encryption?: ValueCodec | undefined;
  /**
   * Returns a stored value with another revision. Used for the last version of a key that expires after a restart, when the
   * encoder of its writer no longer exists. Absent: the value stays as written.
   */
  stampRevision?(text: string, revision: Revision): string;
}

const checks: OptionChecks<SqliteStorageOptions> = {
  ...historyChecks,
  path: aName,
  clock: aClock,
  durability: oneOf('full', 'relaxed'),
  driver: oneOf('node:sqlite', 'libsql'),
  cacheObjects: aCount('bytes'),
  encryption: checkedElsewhere,
  stampRevision: aFunction,
};

/** Size to which SQLite truncates the log after it was larger, in bytes. */
const LOG_SIZE = 64 << 20;

/** Returns the settings of a connection that writes. */
export function settingsFor(durability: 'full' | 'relaxed'): string {
  return [
    'busy_timeout = 5000',
    'trusted_schema = OFF',
    'cell_size_check = ON',
    'temp_store = MEMORY',
    `synchronous = ${durability === 'full' ? 'FULL' : 'NORMAL'}`,
    // For systems where fsync alone does not flush the disk cache, such as macOS.
    `fullfsync = ${durability === 'full' ? 'ON' : 'OFF'}`,
    'checkpoint_fullfsync = ON',
    // The write queue runs the checkpoints.
    'wal_autocheckpoint = 0',
    `journal_size_limit = ${LOG_SIZE}`,
  ]
    .map((setting) => `PRAGMA ${setting};`)
    .join(' ');
}

/**
 * Opens a store in a file for this process alone and reads it.
 *
 * @throws TypeError that names the invalid option
 * @throws StorageError `Unavailable` when another process has the store open, when it is not a store, has a newer
 * layout or is damaged, or when no SQLite library is available; the message says how to proceed
 */
export async function openSqliteStorage(options: SqliteStorageOptions): Promise<Storage> {
  checkOptions('openSqliteStorage', options, checks, ['path', 'clock']);
  if (options.cacheObjects !== undefined) refuseKeyServices(options.encryption);
  const { path, durability = 'full', driver = defaultDriver() } = options;
  try {
    const found = existsSync(path) ? filesOf(path) : undefined;
    const connection = await SqliteConnection.openFound(driver, async () => ({
      ...(found ?? filesOf(path)),
      settings: settingsFor(durability),
    }));
    try {
      await migrate(connection, path);
      return await readStorage(connection, options);
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw openingError(error, path);
  }
}

/** Returns the file of a store and that of its lock. Makes what is missing. @throws StorageError when it is not a store */
function filesOf(path: string): StoreFile {
  makeFile(path);
  const files = storeFileAt(path);
  makeFile(files.lockFile);
  assertKnown(path, identityOf(path));
  return files;
}

/**
 * Reads the whole file into memory and checks every row. With a limit of the texts in memory, it reads only the keys: a
 * row is checked when its text is first read.
 *
 * @throws StorageError when it is damaged, SqliteFailure
 */
export async function readStorage(connection: StoreConnection, options: SqliteStorageOptions): Promise<Storage> {
  const { path, clock, encryption: codec = plainValues, stampRevision = (text) => text } = options;
  const { file } = storeFileAt(path);
  const { cacheObjects: maxBytes, driver = defaultDriver() } = options;
  const cold = maxBytes === undefined ? undefined : new ColdTexts({ driver, file, path, codec, maxBytes });
  try {
    const texts = cold?.cache;
    const garbage = new Garbage(cold !== undefined);
    const state = new StoreState({
      ...options,
      expire: (expiry) => storage.expire(expiry),
      forgotten: (event) => garbage.addOf(event),
      texts,
    });
    const { compacted, lastWrittenAt } = await readFacts(connection, path);
    // The history does not age while the store is closed, so a returning watcher can continue.
    const clockOffsetMs = lastWrittenAt === undefined ? 0 : Math.floor(clock.now()) - lastWrittenAt;
    const parts = { state, garbage, path, clockOffsetMs, codec, texts };
    const replay = new Replay({ ...parts, compacted });
    state.beginReading(compacted);
    if (texts === undefined)
      for await (const versions of versionsAfter(connection, path, 0)) await replay.addAll(versions);
    else for await (const versions of headsAfter(connection, path, 0)) await replay.addHeads(texts, versions);
    const unreadable = replay.end();
    if (state.canCompact(unreadable)) state.compact(unreadable);
    if (cold === undefined) {
      const [[found] = []] = await connection.run('PRAGMA quick_check(1)');
      if (found !== 'ok') throw damaged(path, String(found));
    }
    // The next work of the caller, such as starting a server, has a turn of its own.
    await nextTurn();
    const loggedBytes = logSizeOf(file);
    const queue = new WriteQueue({ ...parts, connection, compacted, loggedBytes });
    const storage = new SqliteStorage({ clock, state, connection, queue, codec, stampRevision, cold });
    state.startExpiry();
    cold?.startCheck();
    return storage;
  } catch (error) {
    await cold?.close();
    throw error;
  }
}

/** @throws TypeError when the values are, or may be, encrypted with the keys of a key service */
function refuseKeyServices(encryption: ValueCodec | undefined): void {
  if (encryption?.prepare === undefined) return;
  try {
    if (encryption.refuseKeyServices === undefined) throw new Error(NO_KEY_SERVICES);
    encryption.refuseKeyServices(NO_KEY_SERVICES);
  } catch (error) {
    throw new TypeError(`openSqliteStorage: ${messageOf(error)}`, { cause: error });
  }
}

/** Returns the SQLite library that this Node version uses by default. */
export const defaultDriver = (): SqliteDriver => (isBuiltin('node:sqlite') ? 'node:sqlite' : 'libsql');

/** Returns what holds the lock of a store, in words. */
function holderOf(path: string): string {
  const pid = identityOf(storeFileAt(path).lockFile)?.version ?? 0;
  // Older versions of this program, and a full disk, leave no number.
  if (pid === 0) return 'another process';
  return pid === process.pid ? `this process (${pid})` : `the process ${pid}`;
}

/** Translates an error of opening to a StorageError that says how to proceed. */
export function openingError(error: unknown, path: string): Error {
  if (error instanceof StorageError) return error;
  if (error instanceof OpeningFailure && error.during === 'loading') {
    return refuse(
      'a store in a file needs Node 22.13 or later, which has SQLite built in, or the package libsql: npm install libsql',
      error,
    );
  }
  if (error instanceof OpeningFailure && error.during === 'locking' && error.code === ResultCode.Busy)
    return refuse(`the store ${path} is in use by ${holderOf(path)}`, error);
  if (error instanceof SqliteFailure && (error.code === ResultCode.Corrupt || error.code === ResultCode.NotADatabase))
    return damaged(path, error.message, error);
  return refuse(`the store ${path} cannot be opened: ${messageOf(error)}`, error);
}
