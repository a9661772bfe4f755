import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../meta/clock.js';
import type { Revision } from '../storage.js';
import type { CarriedRecord, StoreSnapshot } from '../transfer/snapshot.js';
import { SqliteConnection } from './connection.js';
import { defaultDriver, explained, settingsFor } from './open.js';
import { refuse } from './refusal.js';
import { migrate } from './schema.js';
import type { SqliteFileOptions } from './snapshot.js';
import { makeFile, syncDirectory } from './store-file.js';
import type { SqliteDriver } from './thread-program.js';
import { SET_COMPACTED, insertionOf } from './version-rows.js';
import type { Version } from './version-rows.js';

/** How a file is made of a snapshot. */
export interface SqliteBuildOptions extends SqliteFileOptions {
  readonly clock: Clock;
  /** Revisions that are passed over after the snapshot's own, so that no watcher of what was written after it takes new writes for known. Default 0. */
  readonly bumpRevision?: number;
  /** Told how many records have been written so far. */
  readonly onProgress?: (records: number) => void;
  /** Ends the work; nothing is left of it. */
  readonly signal?: AbortSignal;
}

/**
 * Makes a store's file of a snapshot. Keys, texts and revisions are those of the snapshot; its history is forgotten.
 *
 * It is made under another name and moved into its place as a whole, at the end. Who finds a file with that other name
 * (`.incomplete`) has what is left of a process that died, and the next one removes it.
 *
 * @throws StorageError `Unavailable` when there is a store already, or somebody is making one; the signal's reason
 */
export async function buildSqliteStore(snapshot: StoreSnapshot, options: SqliteBuildOptions): Promise<void> {
  const { path, driver = defaultDriver() } = options;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Held under the store's own name until it is in its place.
    const lock = await SqliteConnection.open({ driver, file: ':memory:', lockFile: `${path}-lock`, settings: '' });
    try {
      await refuseExisting(path);
      await buildBeside(`${path}.incomplete`, snapshot, driver, options);
    } finally {
      await lock.close();
    }
  } catch (error) {
    throw options.signal?.aborted === true ? options.signal.reason : explained(error, path);
  }
}

async function refuseExisting(path: string): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > 0)
    throw refuse(`there is a store in ${path} already, and it is left as it is: move it away, or choose another place`);
}

async function buildBeside(
  made: string,
  snapshot: StoreSnapshot,
  driver: SqliteDriver,
  options: SqliteBuildOptions,
): Promise<void> {
  try {
    await removeFile(made);
    makeFile(made);
    const connection = await SqliteConnection.open({
      driver,
      file: made,
      lockFile: undefined,
      settings: settingsFor('relaxed'),
    });
    try {
      await migrate(connection, made);
      await fill(connection, snapshot, options);
    } finally {
      await connection.close();
    }
    options.signal?.throwIfAborted();
    await putInPlace(made, options.path);
  } catch (error) {
    await removeFile(made);
    throw error;
  }
}

async function fill(
  connection: SqliteConnection,
  snapshot: StoreSnapshot,
  { clock, bumpRevision = 0, onProgress, signal }: SqliteBuildOptions,
): Promise<void> {
  let written = 0;
  const writtenAt = Math.floor(clock.now());
  for await (const batch of snapshot.batches()) {
    signal?.throwIfAborted();
    await connection.transact(insertionOf(batch.map((record) => versionOfRecord(record, writtenAt))));
    await connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
    onProgress?.((written += batch.length));
  }
  const compacted: Revision = snapshot.revision + bumpRevision;
  await connection.transact([[SET_COMPACTED, compacted]]);
  await connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
}

function versionOfRecord(
  { key, text, createRevision, modRevision, expiresAt }: CarriedRecord,
  writtenAt: number,
): Version {
  return {
    revision: modRevision,
    type: createRevision === modRevision ? 'create' : 'update',
    createRevision,
    writtenAt,
    expiresAt: expiresAt === undefined ? null : Math.ceil(expiresAt),
    key,
    text,
  };
}

/** From here on the store is there, or it is not: also for who looks after a power cut. */
async function putInPlace(made: string, path: string): Promise<void> {
  const file = await open(made, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(made, path);
  syncDirectory(dirname(path));
}

async function removeFile(path: string): Promise<void> {
  for (const ending of ['', '-wal', '-shm']) await rm(path + ending, { force: true });
}
