import { existsSync } from 'node:fs';
import {
  readStoreMark,
  StorageError,
  STORE_MARK_KEY,
  type Revision,
  type Storage,
  storedValues,
} from '../../storage/index.js';
import { importSqlite } from '../../storage/late-node.js';
import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { count, ifGiven } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { StartError } from '../usage-error.js';
import { chooseDurableStore, storeFile, existing, type DurableChoice } from './choice.js';
import { durableStoreFlags } from './flags.js';
import { openStore, orStartError, placeOf } from './open.js';
import { existingStoreDirectory, refuseOtherDialect } from './store-dialect.js';

/** The flags of `compact`. */
export const compactFlags = {
  revision: ifGiven(count('NUMBER', 0, 'Oldest revision to keep. Default: the current revision.')),
  ...durableStoreFlags,
};

/** The command `compact`. */
export const compact = defineCommand({
  name: 'compact',
  summary: 'Discards the history of a store. For sqlite it also shrinks the file, which no server may have open.',
  flags: compactFlags,
  run,
});

async function run(values: FlagValues<typeof compactFlags>, host: Host): Promise<number> {
  const choice = await chooseDurableStore(values, existingStoreDirectory);
  if (choice.engine === 'sqlite' && !existsSync(storeFile(choice)))
    throw new StartError(`there is no store in ${placeOf(choice)}`);
  const compacted = await orStartError(choice, () => discardHistory(choice, host, values));
  host.stdout.write(`The history of ${placeOf(choice)} begins with revision ${compacted}.\n`);
  if (choice.engine !== 'sqlite') return 0;
  const { vacuumSqliteStore } = await importSqlite();
  const { before, after } = await orStartError(choice, () => vacuumSqliteStore({ path: storeFile(choice) }));
  host.stdout.write(`The file size went from ${before} to ${after} bytes.\n`);
  return 0;
}

async function discardHistory(
  choice: DurableChoice,
  host: Host,
  { revision, dialect }: FlagValues<typeof compactFlags>,
): Promise<Revision> {
  const storage = await openStore(choice.engine === 'sqlite' ? choice : existing(choice), host, {
    encryption: storedValues,
  });
  try {
    const { record } = await storage.get(STORE_MARK_KEY);
    if (record !== undefined) refuseOtherDialect(placeOf(choice), readStoreMark(record).dialect, dialect);
    return await compactTo(storage, revision ?? (await storage.currentRevision()));
  } finally {
    await storage.close();
  }
}

async function compactTo(storage: Storage, revision: Revision): Promise<Revision> {
  try {
    await storage.compact(revision);
    return await storage.compactedRevision();
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'FutureRevision') throw error;
    throw new StartError(
      `--revision: ${revision} is in the future; the store is at ${error.revision ?? 'an earlier revision'}`,
    );
  }
}
