import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
/** Space that the data of several tests take, in bytes. */
const SPACE = 4 * 1024 ** 3;

/**
 * Folder for the folders of data of databases: in memory where the host has room there. On a busy disk a database waits for
 * each write, and a test of thousands of writes exceeds its time.
 */
export const DATA_FOLDER = hasSpace(MEMORY) ? MEMORY : tmpdir();

function hasSpace(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize >= SPACE;
  } catch {
    return false;
  }
}
