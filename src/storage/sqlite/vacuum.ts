import { stat } from 'node:fs/promises';
import { SqliteConnection } from './connection.js';
import { defaultDriver, openingError, settingsFor } from './open.js';
import type { SqliteFileOptions } from './snapshot.js';
import { storeFileAt } from './store-file.js';

/**
 * Returns the unused space of a file to the disk. It needs the same space again while it works; if the process ends
 * meanwhile, nothing changes.
 *
 * @returns the size of the file before and after, in bytes
 * @throws StorageError `Unavailable` when another process has the store open, or the disk is full
 */
export async function vacuumSqliteStore({
  path,
  driver = defaultDriver(),
}: SqliteFileOptions): Promise<{ readonly before: number; readonly after: number }> {
  try {
    const { size: before } = await stat(path);
    const connection = await SqliteConnection.open({
      driver,
      ...storeFileAt(path),
      settings: settingsFor('full'),
    });
    try {
      await connection.run('VACUUM');
      await connection.run('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      await connection.close();
    }
    return { before, after: (await stat(path)).size };
  } catch (error) {
    throw openingError(error, path);
  }
}
