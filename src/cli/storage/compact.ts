import { existsSync } from 'node:fs';
import { defineCommand } from '../command.js';
import { count, ifGiven } from '../flags/kinds.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import { readStoreMark, STORE_MARK_KEY, StorageError, type Revision, type Storage } from '../../storage/index.js';
import { StartError } from '../usage-error.js';
import { chooseKeptStore, storeFile, withoutCompaction, type KeptChoice } from './choice.js';
import { keptStoreFlags } from './flags.js';
import { openStore, orStartError, placeOf } from './open.js';
import { presentDirectory, refuseOtherDialect } from './store-dialect.js';

/** The flags of `compact`. */
export const compactFlags = {
  revision: ifGiven(count('NUMBER', 0, 'The oldest revision that can still be told. Default: the present one.')),
  ...keptStoreFlags,
};

/** Forgets the history of a store. */
export const compact = defineCommand({
  name: 'compact',
  summary: 'Forgets the history of a store, and in sqlite gives its space back; no server may have that open.',
  flags: compactFlags,
  run,
});

async function run(values: FlagValues<typeof compactFlags>, host: Host): Promise<number> {
  const choice = await chooseKeptStore(values, presentDirectory);
  if (choice.engine === 'sqlite' && !existsSync(storeFile(choice)))
    throw new StartError(`there is no store in ${placeOf(choice)}`);
  const compacted = await orStartError(choice, () => forgetHistory(choice, host, values));
  host.stdout.write(`The history of ${placeOf(choice)} begins with revision ${compacted}.\n`);
  if (choice.engine !== 'sqlite') return 0;
  const { vacuumSqliteStore } = await import('../../storage/sqlite/index.js');
  const { before, after } = await orStartError(choice, () => vacuumSqliteStore({ path: storeFile(choice) }));
  host.stdout.write(`The file had ${before} bytes, and has ${after}.\n`);
  return 0;
}

async function forgetHistory(
  choice: KeptChoice,
  host: Host,
  { revision, dialect }: FlagValues<typeof compactFlags>,
): Promise<Revision> {
  const storage = await openStore(choice.engine === 'etcd' ? withoutCompaction(choice) : choice, host);
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
      `--revision: ${revision} has not happened yet; the store is at ${error.revision ?? 'an earlier one'}`,
    );
  }
}
