import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { text } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { reasonOf } from '../serve/files.js';
import { chooseKeptStore } from '../storage/choice.js';
import { keptStoreFlags } from '../storage/flags.js';
import { interruptible } from '../storage/interruptible.js';
import { placeOf } from '../storage/open.js';
import { Progress } from '../storage/progress.js';
import { checkTargetFlags, fillTarget, targetFlags } from '../storage/target.js';
import { StartError, UsageError } from '../usage-error.js';
import { checkArchive, type CheckedArchive } from './archive-reader.js';

/** The flags of `restore`. */
export const restoreFlags = {
  from: text('FILE', '', 'The backup. It is read to its end, and nothing is written if it is not whole.'),
  ...targetFlags,
  ...keptStoreFlags,
};

/** Makes a store of a backup. */
export const restore = defineCommand({ name: 'restore', summary: 'Makes a store of a backup, where there is none.', flags: restoreFlags, run });

async function run(values: FlagValues<typeof restoreFlags>, host: Host): Promise<number> {
  if (values.from === '') throw new UsageError('--from must be specified: the file that the backup is in');
  const choice = await chooseKeptStore(values);
  checkTargetFlags(choice, values);
  await interruptible(host, async (signal) => {
    const archive = await checked(values.from, host, signal);
    await fillTarget(choice, archive, values, host, signal);
    host.stdout.write(`${archive.count} records, as they were at revision ${archive.revision} on ${archive.createdAt}, are in ${placeOf(choice)}\n`);
  });
  return 0;
}

async function checked(path: string, host: Host, signal: AbortSignal): Promise<CheckedArchive> {
  const progress = new Progress(host, 'reading the backup');
  try {
    return await checkArchive(path, (records, all) => progress.at(records, all), signal);
  } catch (error) {
    throw signal.aborted ? error : new StartError(`--from: ${path} cannot be restored: ${reasonOf(error)}`);
  } finally {
    progress.end();
  }
}
