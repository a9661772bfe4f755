import { dialects, orch } from '../../foundation/index.js';
import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { text } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { reasonOf } from '../serve/files.js';
import { chooseDurableStore, defaultDirectory } from '../storage/choice.js';
import { durableStoreFlags } from '../storage/flags.js';
import { interruptible } from '../storage/interruptible.js';
import { placeOf } from '../storage/open.js';
import { Progress } from '../storage/progress.js';
import { dialectOf, refuseOtherDialect } from '../storage/store-dialect.js';
import { checkTargetFlags, fillTarget, targetFlags } from '../storage/target.js';
import { StartError, UsageError } from '../usage-error.js';
import { archiveBatches, checkArchive, type CheckedArchive } from './archive-reader.js';

/** The flags of `restore`. */
export const restoreFlags = {
  from: text('FILE', '', 'Backup file. It is verified completely before anything is written.'),
  'expect-digest': text(
    'DIGEST',
    '',
    'Digest of the backup file, as backup prints it: sha256: and 64 hexadecimal digits. Any other file is refused before anything is written.',
  ),
  ...targetFlags,
  ...durableStoreFlags,
};

/** The command `restore`. */
export const restore = defineCommand({
  name: 'restore',
  summary: 'Restores a backup to a new store.',
  flags: restoreFlags,
  run,
});

async function run(values: FlagValues<typeof restoreFlags>, host: Host): Promise<number> {
  if (values.from === '') throw new UsageError('--from must be specified: the backup file');
  const digest = digestIn(values['expect-digest']);
  const choice = await chooseDurableStore(values, async () =>
    directoryOf(values.from, await dialectOfBackup(values.from)),
  );
  checkTargetFlags(choice, values);
  await interruptible(host, async (signal) => {
    const archive = await checked(values.from, digest, host, signal);
    refuseOtherDialect(`the backup ${values.from}`, await dialectOf(archive), values.dialect);
    await fillTarget(choice, archive, values, host, signal);
    host.stdout.write(
      `restored ${archive.count} records at revision ${archive.revision} of ${archive.createdAt} to ${placeOf(choice)}\n`,
    );
  });
  return 0;
}

/** Returns the dialect of a backup without reading the whole file. */
async function dialectOfBackup(path: string): Promise<string | undefined> {
  try {
    return await dialectOf({ batches: () => archiveBatches(path) });
  } catch (error) {
    throw unrestorable(path, error);
  }
}

/** Returns the default store directory of a dialect. @throws StartError for an unknown dialect */
function directoryOf(path: string, name: string | undefined): string {
  const dialect = name === undefined ? orch : dialects.get(name);
  if (dialect !== undefined) return defaultDirectory(dialect);
  throw new StartError(
    `--from: the backup ${path} has the dialect ${name}, for which this program has no default directory: set --data-dir`,
  );
}

const unrestorable = (path: string, error: unknown): StartError =>
  new StartError(`--from: ${path} cannot be restored: ${reasonOf(error)}`);

/** @throws UsageError for a text that is not a digest */
function digestIn(given: string): string | undefined {
  if (given === '') return undefined;
  const digest = given.toLowerCase();
  if (/^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
  throw new UsageError(
    `invalid argument ${JSON.stringify(given)} for "--expect-digest" flag: must be sha256: and 64 hexadecimal digits`,
  );
}

async function checked(
  path: string,
  digest: string | undefined,
  host: Host,
  signal: AbortSignal,
): Promise<CheckedArchive> {
  const progress = new Progress(host, 'reading the backup');
  try {
    return await checkArchive(path, digest, (records, all) => progress.at(records, all), signal);
  } catch (error) {
    throw signal.aborted ? error : unrestorable(path, error);
  } finally {
    progress.end();
  }
}
