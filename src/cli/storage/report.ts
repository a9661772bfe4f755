import type { Revision } from '../../storage/index.js';
import { takeSnapshot, type SnapshotRecord } from '../../storage/transfer/index.js';
import type { Host } from '../host.js';
import { storeFile, withoutCompaction, type EtcdChoice, type KeptChoice, type SqliteChoice } from './choice.js';
import { openStore } from './open.js';

/** What an engine says of a store. */
export interface StoreReport {
  readonly revision: Revision;
  /** Oldest revision whose state can be told. */
  readonly compacted: Revision;
  /** Number of present records. */
  readonly count: number;
  /** What else there is to say: names and values. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** What the engine finds wrong, one sentence each. */
  readonly problems: readonly string[];
  /** The present records that can be read. */
  records(): AsyncIterable<readonly SnapshotRecord[]>;
}

/** Does something with what an engine says of a store. @throws what the engine refuses with when it cannot say anything */
export function withReport(
  choice: KeptChoice,
  host: Host,
  work: (report: StoreReport) => Promise<void>,
): Promise<void> {
  return choice.engine === 'sqlite' ? ofSqlite(choice, work) : ofEtcd(choice, host, work);
}

async function ofSqlite(choice: SqliteChoice, work: (report: StoreReport) => Promise<void>): Promise<void> {
  const { checkSqliteStore } = await import('../../storage/sqlite/index.js');
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

async function ofEtcd(choice: EtcdChoice, host: Host, work: (report: StoreReport) => Promise<void>): Promise<void> {
  const storage = await openStore(withoutCompaction(choice), host);
  try {
    const snapshot = await takeSnapshot(storage);
    const { revision, count } = snapshot;
    await work({
      revision,
      compacted: await storage.compactedRevision(),
      problems: [],
      count,
      facts: [['engine', 'etcd']],
      records: () => snapshot.batches(),
    });
  } finally {
    await storage.close();
  }
}
