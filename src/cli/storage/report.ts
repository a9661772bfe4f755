import { storedValues, takeSnapshot, type Revision, type SnapshotRecord } from '../../storage/index.js';
import { importSqlite } from '../../storage/late-node.js';
import type { Host } from '../host.js';
import { storeFile, existing, type DurableChoice, type SharedChoice, type SqliteChoice } from './choice.js';
import { openStore } from './open.js';

/** An engine's report on a store. */
export interface StoreReport {
  readonly revision: Revision;
  /** Oldest revision that can be read. */
  readonly compacted: Revision;
  /** Number of current records. */
  readonly count: number;
  /** Further facts: names and values. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Problems that the engine found, one sentence each. */
  readonly problems: readonly string[];
  /** Yields the current records that can be read. */
  records(): AsyncIterable<readonly SnapshotRecord[]>;
}

/** Runs work with an engine's report on a store. @throws the engine's error when it cannot read the store at all */
export function withReport(
  choice: DurableChoice,
  host: Host,
  work: (report: StoreReport) => Promise<void>,
): Promise<void> {
  return choice.engine === 'sqlite' ? reportSqlite(choice, work) : reportShared(choice, host, work);
}

async function reportSqlite(choice: SqliteChoice, work: (report: StoreReport) => Promise<void>): Promise<void> {
  const { checkSqliteStore } = await importSqlite();
  const report = await checkSqliteStore({ path: storeFile(choice) });
  try {
    const { revision, compacted, problems, present, rows, bytes } = report;
    const facts = [
      ['engine', 'sqlite'],
      ['size', `${bytes} bytes, ${rows} versions`],
    ] as const;
    await work({ revision, compacted, problems, count: present.size, facts, records: () => report.records() });
  } finally {
    await report.close();
  }
}

async function reportShared(
  choice: SharedChoice,
  host: Host,
  work: (report: StoreReport) => Promise<void>,
): Promise<void> {
  const storage = await openStore(existing(choice), host, { encryption: storedValues });
  try {
    const snapshot = await takeSnapshot(storage);
    const { revision, count } = snapshot;
    await work({
      revision,
      compacted: await storage.compactedRevision(),
      problems: [],
      count,
      facts: [['engine', choice.engine]],
      records: () => snapshot.batches(),
    });
  } finally {
    await storage.close();
  }
}
