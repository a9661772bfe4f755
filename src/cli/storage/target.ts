import { stampRevision } from '../../registry/record-codec.js';
import { fillStore, type StoreSnapshot } from '../../storage/transfer/index.js';
import { bool, count } from '../flags/kinds.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import { UsageError } from '../usage-error.js';
import { storeFile, withoutCompaction, type KeptChoice } from './choice.js';
import { openStore, orStartError } from './open.js';
import { Progress } from './progress.js';

/** The flags of a command that fills a store. */
export const targetFlags = {
  'bump-revision': count(
    'NUMBER',
    0,
    'Revisions that sqlite passes over behind the last one: as many as may have been written since the state that is restored, so that no watcher misses what comes.',
  ),
  'discard-incomplete': bool(false, 'Empties a store in etcd first that an earlier copy has left incomplete.'),
};

/** @throws UsageError for a flag that means nothing to the store */
export function checkTargetFlags(choice: KeptChoice, values: FlagValues<typeof targetFlags>): void {
  if (choice.engine === 'etcd' && values['bump-revision'] > 0)
    throw new UsageError('--bump-revision is for sqlite: etcd counts its own revisions');
  if (choice.engine === 'sqlite' && values['discard-incomplete'])
    throw new UsageError('--discard-incomplete is for etcd: sqlite takes its place as a whole, or not at all');
}

/** What a person must know who fills a store in etcd. */
const RESTAMPED =
  'warning: etcd counts its own revisions: every object gets a new resourceVersion, and clients that watched the store before have to list anew\n';

/**
 * Fills an empty store with a state. Its revisions are kept in sqlite, and cannot be in etcd.
 *
 * @throws StartError when the store is not empty or cannot be written; the signal's reason. Nothing is left then, or it says what is
 */
export async function fillTarget(
  choice: KeptChoice,
  snapshot: StoreSnapshot,
  values: FlagValues<typeof targetFlags>,
  host: Host,
  signal: AbortSignal,
): Promise<void> {
  const progress = new Progress(host, 'writing');
  const { clock } = host;
  const onProgress = (records: number): void => progress.at(records, snapshot.count);
  if (choice.engine === 'etcd') host.stderr.write(RESTAMPED);
  await orStartError(choice, async () => {
    if (choice.engine === 'sqlite') {
      const { buildSqliteStore } = await import('../../storage/sqlite/index.js');
      return buildSqliteStore(snapshot, {
        path: storeFile(choice),
        clock,
        bumpRevision: values['bump-revision'],
        onProgress,
        signal,
      });
    }
    const storage = await openStore(withoutCompaction(choice), host);
    try {
      await fillStore(storage, snapshot, {
        clock,
        stampRevision,
        discardIncomplete: values['discard-incomplete'],
        onProgress,
        signal,
      });
    } finally {
      await storage.close();
    }
  });
  progress.end();
}
