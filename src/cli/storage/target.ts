import { stampRevision } from '../../registry/index.js';
import { fillStore, storedValues, type StoreSnapshot } from '../../storage/index.js';
import { importSqlite } from '../../storage/late-node.js';
import type { FlagValues } from '../flags/flag.js';
import { bool, count } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { UsageError } from '../usage-error.js';
import { storeFile, withoutCompaction, type DurableChoice } from './choice.js';
import { openStore, orStartError } from './open.js';
import { Progress } from './progress.js';

/** The flags of a command that writes to a new store. */
export const targetFlags = {
  'bump-revision': count(
    'NUMBER',
    0,
    'Number of revisions that sqlite skips after the last one: at least the number of writes since the restored snapshot, so that no watcher misses an event.',
  ),
  'discard-incomplete': bool(
    false,
    'First empties a store in etcd or PostgreSQL that an earlier copy left incomplete.',
  ),
};

/** @throws UsageError for a flag that the engine does not support */
export function checkTargetFlags(choice: DurableChoice, values: FlagValues<typeof targetFlags>): void {
  if (choice.engine !== 'sqlite' && values['bump-revision'] > 0)
    throw new UsageError(`--bump-revision is for sqlite: ${choice.engine} counts its own revisions`);
  if (choice.engine === 'sqlite' && values['discard-incomplete'])
    throw new UsageError('--discard-incomplete is for etcd and postgres: sqlite replaces the store atomically');
}

/** Returns the warning when the target is in an engine that counts its own revisions. */
const restamped = (engine: string): string =>
  `warning: ${engine} counts its own revisions: every object gets a new resourceVersion, and clients that watched the old store must list again\n`;

/**
 * Fills an empty store from a snapshot. sqlite keeps the revisions; the others cannot.
 *
 * @throws StartError when the store is not empty or cannot be written; the signal's reason. The partial result is
 *   removed, or the message names it
 */
export async function fillTarget(
  choice: DurableChoice,
  snapshot: StoreSnapshot,
  values: FlagValues<typeof targetFlags>,
  host: Host,
  signal: AbortSignal,
): Promise<void> {
  const progress = new Progress(host, 'writing');
  const { clock } = host;
  const onProgress = (records: number): void => progress.at(records, snapshot.count);
  if (choice.engine !== 'sqlite') host.stderr.write(restamped(choice.engine));
  const filled = orStartError(choice, async () => {
    if (choice.engine === 'sqlite') {
      const { buildSqliteStore } = await importSqlite();
      return buildSqliteStore(snapshot, {
        path: storeFile(choice),
        clock,
        bumpRevision: values['bump-revision'],
        onProgress,
        signal,
      });
    }
    const storage = await openStore(withoutCompaction(choice), host, { encryption: storedValues });
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
  await filled.finally(() => progress.end());
}
