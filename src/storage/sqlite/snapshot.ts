import type { StoreSnapshot } from '../transfer/snapshot.js';
import { defaultDriver, explained } from './open.js';
import { damaged } from './refusal.js';
import { SqliteScan } from './scan.js';
import type { SqliteDriver } from './thread-program.js';

/** Which file is read, and how. */
export interface SqliteFileOptions {
  readonly path: string;
  /** As for `openSqliteStorage`. */
  readonly driver?: SqliteDriver;
}

/**
 * The state of a store's file at this moment. The process that has the store open goes on meanwhile; its log of writes grows
 * until the snapshot is closed.
 *
 * @throws StorageError `Unavailable` when there is no such store, or it is of another layout, or damaged
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
    throw explained(error, path);
  }
}
