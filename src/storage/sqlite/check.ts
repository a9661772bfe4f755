import { stat } from 'node:fs/promises';
import type { SnapshotRecord } from '../transfer/snapshot.js';
import { defaultDriver, openingError } from './open.js';
import { SqliteScan, type ScanFindings } from './scan.js';
import type { SqliteFileOptions } from './snapshot.js';

/** The report on a file that was read completely. */
export interface SqliteReport extends ScanFindings {
  /** Size of the file and its log, in bytes. */
  readonly bytes: number;
  /** Returns the readable current records. */
  records(): AsyncIterable<readonly SnapshotRecord[]>;
  close(): Promise<void>;
}

/** Maximum number of reported problems. */
const MAX_PROBLEMS = 100;

/**
 * Reads a store's file completely and reports its problems. Nothing is changed; a process that has the store open
 * continues meanwhile.
 *
 * @throws StorageError `Unavailable` when the store does not exist, has another layout, or cannot be read to its end
 */
export async function checkSqliteStore({ path, driver = defaultDriver() }: SqliteFileOptions): Promise<SqliteReport> {
  try {
    const scan = await SqliteScan.open(path, driver);
    try {
      const integrity = await scan.integrityProblems(MAX_PROBLEMS);
      const findings = await scan.findings();
      const problems = [...integrity, ...findings.problems].slice(0, MAX_PROBLEMS);
      const bytes =
        (await stat(path)).size +
        (await stat(`${path}-wal`).then(
          ({ size }) => size,
          () => 0,
        ));
      return { ...findings, problems, bytes, records: () => scan.records(findings), close: () => scan.close() };
    } catch (error) {
      await scan.close();
      throw error;
    }
  } catch (error) {
    throw openingError(error, path);
  }
}
