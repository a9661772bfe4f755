import { lstat } from 'node:fs/promises';
import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { bool, text } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { reasonOf } from '../serve/files.js';
import { chooseDurableStore } from '../storage/choice.js';
import { durableStoreFlags } from '../storage/flags.js';
import { interruptible } from '../storage/interruptible.js';
import { isRefusal, placeOf } from '../storage/open.js';
import { Progress } from '../storage/progress.js';
import { withSnapshot } from '../storage/source.js';
import { dialectOf, existingStoreDirectory, refuseOtherDialect } from '../storage/store-dialect.js';
import { StartError, UsageError } from '../usage-error.js';
import { ArchiveExistsError, writeArchive } from './archive-writer.js';

/** The flags of `backup`. */
export const backupFlags = {
  to: text('FILE', '', 'File to which the backup is written. It must not exist, unless --force is given.'),
  force: bool(false, 'Replaces an existing file, once the new backup is complete.'),
  ...durableStoreFlags,
};

/** The command `backup`. */
export const backup = defineCommand({
  name: 'backup',
  summary: 'Writes a snapshot of a store to a file, while servers keep using the store.',
  flags: backupFlags,
  run,
});

async function run(values: FlagValues<typeof backupFlags>, host: Host): Promise<number> {
  const path = values.to;
  if (path === '') throw new UsageError('--to must be specified: the file to which the backup is written');
  if (!values.force && (await exists(path))) throw existing(path);
  const choice = await chooseDurableStore(values, existingStoreDirectory);
  await interruptible(host, (signal) =>
    withSnapshot(choice, host, async (snapshot) => {
      refuseOtherDialect(placeOf(choice), await dialectOf(snapshot), values.dialect);
      const progress = new Progress(host, 'writing');
      const onProgress = (records: number): void => progress.at(records, snapshot.count);
      const createdAt = new Date(host.clock.now()).toISOString();
      const { records, bytes, digest } = await writeArchive(snapshot, path, {
        ...{ createdAt, onProgress, signal },
        replace: values.force,
      }).catch((error: unknown) => {
        progress.end();
        if (isRefusal(error) || signal.aborted) throw error;
        throw error instanceof ArchiveExistsError ? existing(path) : new StartError(`--to: ${reasonOf(error)}`);
      });
      progress.end();
      host.stdout.write(
        `wrote ${records} records of ${placeOf(choice)} at revision ${snapshot.revision} to ${path} (${bytes} bytes)\ndigest ${digest}\n`,
      );
    }),
  );
  return 0;
}

const existing = (path: string): StartError =>
  new StartError(`--to: ${path} exists: choose another file, or replace it with --force`);

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
