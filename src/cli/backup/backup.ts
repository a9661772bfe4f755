import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { text } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { reasonOf } from '../serve/files.js';
import { chooseKeptStore } from '../storage/choice.js';
import { keptStoreFlags } from '../storage/flags.js';
import { interruptible } from '../storage/interruptible.js';
import { isRefusal, placeOf } from '../storage/open.js';
import { Progress } from '../storage/progress.js';
import { withSnapshot } from '../storage/source.js';
import { dialectOf, presentDirectory, refuseOtherDialect } from '../storage/store-dialect.js';
import { StartError, UsageError } from '../usage-error.js';
import { writeArchive } from './archive-writer.js';

/** The flags of `backup`. */
export const backupFlags = {
  to: text('FILE', '', 'Where the backup is written. A file of that name is replaced when the new one is whole.'),
  ...keptStoreFlags,
};

/** Writes the state of a store into a file. */
export const backup = defineCommand({
  name: 'backup',
  summary: 'Writes the state of a store into a file, while servers go on using it.',
  flags: backupFlags,
  run,
});

async function run(values: FlagValues<typeof backupFlags>, host: Host): Promise<number> {
  const path = values.to;
  if (path === '') throw new UsageError('--to must be specified: the file that the backup is written to');
  const choice = await chooseKeptStore(values, presentDirectory);
  await interruptible(host, (signal) =>
    withSnapshot(choice, host, async (snapshot) => {
      refuseOtherDialect(placeOf(choice), await dialectOf(snapshot), values.dialect);
      const progress = new Progress(host, 'writing');
      const onProgress = (records: number): void => progress.at(records, snapshot.count);
      const createdAt = new Date(host.clock.now()).toISOString();
      const { records, bytes } = await writeArchive(snapshot, path, { createdAt, onProgress, signal }).catch(
        (error: unknown) => {
          throw isRefusal(error) || signal.aborted ? error : new StartError(`--to: ${reasonOf(error)}`);
        },
      );
      progress.end();
      host.stdout.write(
        `${records} records of ${placeOf(choice)}, as they were at revision ${snapshot.revision}, are in ${path} (${bytes} bytes)\n`,
      );
    }),
  );
  return 0;
}
