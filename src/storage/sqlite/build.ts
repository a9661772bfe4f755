import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../foundation/index.js';
import type { Revision } from '../storage.js';
import type { SnapshotRecord, StoreSnapshot } from '../transfer/snapshot.js';
import { SqliteConnection } from './connection.js';
import { defaultDriver, openingError, settingsFor } from './open.js';
import { refuse } from './refusal.js';
import { migrate } from './schema.js';
import type { SqliteFileOptions } from './snapshot.js';
import { makeFile, storeFileAt, syncDirectory } from './store-file.js';
import type { SqliteDriver } from './thread-program.js';
import { SET_COMPACTED, insertionOf } from './version-rows.js';
import type { Version } from './version-rows.js';

/** Options of {@link buildSqliteStore}. */
export interface SqliteBuildOptions extends SqliteFileOptions {
  readonly clock: Clock;
  /**
   * Number of revisions to skip after the snapshot's own, so that watchers of later writes to the old store do not
   * mistake new writes for known ones. Default 0.
   */
  readonly bumpRevision?: number | undefined;
  /** Called with the number of records written so far. */
  readonly onProgress?: ((records: number) => void) | undefined;
  /** Aborts the build and removes its files. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Builds a store's file from a snapshot, with the snapshot's keys, texts and revisions but without its history.
 *
 * The file is built as `.incomplete` and renamed when it is complete. An `.incomplete` file that remains belongs to a
 * process that died; the next build removes it.
 *
 * @throws StorageError `Unavailable` when the store exists or another process builds it; the signal's reason
 */
export async function buildSqliteStore(snapshot: StoreSnapshot, options: SqliteBuildOptions): Promise<void> {
  const { path, driver = defaultDriver() } = options;
  try {
    // The lock has the store's own name until the file is in place.
    const lock = await SqliteConnection.openFound(driver, async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      return { file: ':memory:', lockFile: storeFileAt(path).lockFile, settings: '' };
    });
    try {
      await refuseExisting(path);
      await buildIncomplete(storeFileAt(path).file, snapshot, driver, options);
    } finally {
      await lock.close();
    }
  } catch (error) {
    throw options.signal?.aborted === true ? options.signal.reason : openingError(error, path);
  }
}

async function refuseExisting(path: string): Promise<void> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > 0)
    throw refuse(`${path} already contains a store, which is left unchanged: move it away or choose another path`);
}

async function buildIncomplete(
  path: string,
  snapshot: StoreSnapshot,
  driver: SqliteDriver,
  options: SqliteBuildOptions,
): Promise<void> {
  const incompletePath = `${path}.incomplete`;
  try {
    await removeFile(incompletePath);
    makeFile(incompletePath);
    const connection = await SqliteConnection.open({
      driver,
      file: incompletePath,
      lockFile: undefined,
      settings: settingsFor('relaxed'),
    });
    try {
      await migrate(connection, incompletePath);
      await fill(connection, snapshot, options);
    } finally {
      await connection.close();
    }
    options.signal?.throwIfAborted();
    await moveIntoPlace(incompletePath, path);
  } catch (error) {
    await removeFile(incompletePath);
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
    await connection.transact(await insertionOf(batch.map((record) => versionOfRecord(record, writtenAt))));
    await connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
    onProgress?.((written += batch.length));
  }
  const compacted: Revision = snapshot.revision + bumpRevision;
  await connection.transact([[SET_COMPACTED, compacted]]);
  await connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
}

function versionOfRecord(
  { key, text, createRevision, modRevision, expiresAt }: SnapshotRecord,
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

/** Renames the complete file. After a power loss, either the whole store exists or none. */
async function moveIntoPlace(incompletePath: string, path: string): Promise<void> {
  const file = await open(incompletePath, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(incompletePath, path);
  syncDirectory(dirname(path));
}

async function removeFile(path: string): Promise<void> {
  for (const ending of ['', '-wal', '-shm']) await rm(path + ending, { force: true });
}
