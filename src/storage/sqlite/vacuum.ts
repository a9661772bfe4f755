import { stat } from 'node:fs/promises';
import { SqliteConnection } from './connection.js';
import { defaultDriver, explained, settingsFor } from './open.js';
import type { SqliteFileOptions } from './snapshot.js';

/**
 * Gives the space of a file that is of no use any more back to the disk. It takes as much space again while it works, and
 * an end of the process in the middle of it changes nothing.
 *
 * @returns how many bytes the file had, and has
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
      file: path,
      lockFile: `${path}-lock`,
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
    throw explained(error, path);
  }
}
