import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { text } from '../flags/kinds.js';
import { dialects, orch } from '../../names/index.js';
import type { Host } from '../host.js';
import { reasonOf } from '../serve/files.js';
import { chooseKeptStore, defaultDirectory } from '../storage/choice.js';
import { keptStoreFlags } from '../storage/flags.js';
import { interruptible } from '../storage/interruptible.js';
import { placeOf } from '../storage/open.js';
import { Progress } from '../storage/progress.js';
import { dialectOf, refuseOtherDialect } from '../storage/store-dialect.js';
import { checkTargetFlags, fillTarget, targetFlags } from '../storage/target.js';
import { StartError, UsageError } from '../usage-error.js';
import { archiveBatches, checkArchive, type CheckedArchive } from './archive-reader.js';

/** The flags of `restore`. */
export const restoreFlags = {
  from: text('FILE', '', 'The backup. It is read to its end, and nothing is written if it is not whole.'),
  ...targetFlags,
  ...keptStoreFlags,
};

/** Makes a store of a backup. */
export const restore = defineCommand({
  name: 'restore',
  summary: 'Makes a store of a backup, where there is none.',
  flags: restoreFlags,
  run,
});

async function run(values: FlagValues<typeof restoreFlags>, host: Host): Promise<number> {
  if (values.from === '') throw new UsageError('--from must be specified: the file that the backup is in');
  const choice = await chooseKeptStore(values, async () =>
    directoryOf(values.from, await dialectOfBackup(values.from)),
  );
  checkTargetFlags(choice, values);
  await interruptible(host, async (signal) => {
    const archive = await checked(values.from, host, signal);
    refuseOtherDialect(`the backup ${values.from}`, await dialectOf(archive), values.dialect);
    await fillTarget(choice, archive, values, host, signal);
    host.stdout.write(
      `${archive.count} records, as they were at revision ${archive.revision} on ${archive.createdAt}, are in ${placeOf(choice)}\n`,
    );
  });
  return 0;
}

/** The dialect of a backup, which is not read to its end for it. */
async function dialectOfBackup(path: string): Promise<string | undefined> {
  try {
    return await dialectOf({ batches: () => archiveBatches(path) });
  } catch (error) {
    throw unrestorable(path, error);
  }
}

/** Where a server of a dialect looks for its store. @throws StartError for a dialect that has no such place */
function directoryOf(path: string, name: string | undefined): string {
  const dialect = name === undefined ? orch : dialects.get(name);
  if (dialect !== undefined) return defaultDirectory(dialect);
  throw new StartError(
    `--from: the backup ${path} is of the dialect ${name}, of which this program does not know where its store belongs: say it with --data-dir`,
  );
}

const unrestorable = (path: string, error: unknown): StartError =>
  new StartError(`--from: ${path} cannot be restored: ${reasonOf(error)}`);

async function checked(path: string, host: Host, signal: AbortSignal): Promise<CheckedArchive> {
  const progress = new Progress(host, 'reading the backup');
  try {
    return await checkArchive(path, (records, all) => progress.at(records, all), signal);
  } catch (error) {
    throw signal.aborted ? error : unrestorable(path, error);
  } finally {
    progress.end();
  }
}
