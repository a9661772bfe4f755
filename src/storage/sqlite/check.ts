import { stat } from 'node:fs/promises';
import type { CarriedRecord } from '../transfer/snapshot.js';
import { defaultDriver, explained } from './open.js';
import { SqliteScan, type ScanFindings } from './scan.js';
import type { SqliteFileOptions } from './snapshot.js';

/** What is known of a file after it was read from its beginning to its end. */
export interface SqliteReport extends ScanFindings {
  /** Bytes of the file and of its log. */
  readonly bytes: number;
  /** The present records that can be read. */
  records(): AsyncIterable<readonly CarriedRecord[]>;
  close(): Promise<void>;
}

/** Problems of the file that are told; a damaged one may have any number. */
const MOST_PROBLEMS = 100;

/**
 * Reads all of a store's file, and finds out what is wrong with it. Nothing is changed; the process that has the store open goes
 * on meanwhile.
 *
 * @throws StorageError `Unavailable` when there is no such store, or it is of another layout, or cannot be read to its end
 */
export async function checkSqliteStore({ path, driver = defaultDriver() }: SqliteFileOptions): Promise<SqliteReport> {
  try {
    const scan = await SqliteScan.open(path, driver);
    try {
      const integrity = await scan.integrityProblems(MOST_PROBLEMS);
      const findings = await scan.findings();
      const problems = [...integrity, ...findings.problems].slice(0, MOST_PROBLEMS);
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
    throw explained(error, path);
  }
}
