import type { StoreSnapshot } from '../transfer/snapshot.js';
import { defaultDriver, openingError } from './open.js';
import { damaged } from './refusal.js';
import { SqliteScan } from './scan.js';
import type { SqliteDriver } from './thread-program.js';

/** The file to read and its library. */
export interface SqliteFileOptions {
  readonly path: string;
  /** See `openSqliteStorage`. */
  readonly driver?: SqliteDriver | undefined;
}

/**
 * Opens a snapshot of a store's file. A process that has the store open continues meanwhile; its write-ahead log grows
 * until the snapshot is closed.
 *
 * @throws StorageError `Unavailable` when the store does not exist, has another layout, or is damaged
 */
export async function openSqliteSnapshot({
  path,
  driver = defaultDriver(),
}: SqliteFileOptions): Promise<StoreSnapshot & { close(): Promise<void> }> {
  try {
    const scan = await SqliteScan.open(path, driver);
    try {
      const findings = await scan.findings();
      const [problem] = findings.problems;
      if (problem !== undefined) throw damaged(path, problem);
      return {
        revision: findings.revision,
        count: findings.present.size,
        batches: () => scan.records(findings),
        close: () => scan.close(),
      };
    } catch (error) {
      await scan.close();
      throw error;
    }
  } catch (error) {
    throw openingError(error, path);
  }
}
