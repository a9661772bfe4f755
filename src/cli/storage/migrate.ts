import { existsSync } from 'node:fs';
import { migrateStore, raiseLayout, type DefinitionMigration } from '../../apiserver/index.js';
import { dialects } from '../../foundation/index.js';
import { stampRevision } from '../../registry/index.js';
import {
  minReaderOf,
  readStoreMark,
  rewriteStale,
  STORE_LAYOUT,
  STORE_MARK_KEY,
  type Storage,
} from '../../storage/index.js';
import { nodeHttpClient } from '../../transport/node.js';
import { defineCommand } from '../command.js';
import type { FlagValues } from '../flags/flag.js';
import { bool } from '../flags/kinds.js';
import type { Host } from '../host.js';
import { createTextLogger } from '../text-logger.js';
import { StartError } from '../usage-error.js';
import { chooseDurableStore, storeFile, existing } from './choice.js';
import { durableStoreFlags } from './flags.js';
import { interruptible } from './interruptible.js';
import { encryptionFlags, readEncryption } from './encryption.js';
import { openStore, orStartError, placeOf } from './open.js';
import { Progress } from './progress.js';
import { existingStoreDirectory, refuseOtherDialect } from './store-dialect.js';

/** The flags of `migrate`. */
export const migrateFlags = {
  'dry-run': bool(false, 'Reports what would be rewritten, and writes nothing.'),
  'raise-layout': bool(
    false,
    'Raises the layout of the store to the newest one of this program, so that earlier versions refuse the store.',
  ),
  ...encryptionFlags,
  ...durableStoreFlags,
};

/** The command `migrate`. */
export const migrate = defineCommand({
  name: 'migrate',
  summary:
    'Rewrites the custom resources of a store in their storage versions, and all values that are not encrypted with the current key.',
  flags: migrateFlags,
  run,
});

/** Maximum number of failures that are shown of one definition; the rest are counted. */
const MAX_SHOWN = 20;

async function run(values: FlagValues<typeof migrateFlags>, host: Host): Promise<number> {
  const choice = await chooseDurableStore(values, existingStoreDirectory);
  const place = placeOf(choice);
  if (choice.engine === 'sqlite' && !existsSync(storeFile(choice)))
    throw new StartError(`there is no store in ${place}`);
  const setup = await readEncryption(values, choice, values.dialect, host);
  const encryption = setup?.encryption;
  return orStartError(choice, async () => {
    const storage = await openStore(choice.engine === 'sqlite' ? choice : existing(choice), host, { encryption });
    try {
      const { record } = await storage.get(STORE_MARK_KEY);
      if (record === undefined) throw new StartError(`${place} is not the store of a server`);
      const { dialect } = readStoreMark(record);
      refuseOtherDialect(place, dialect, values.dialect);
      const code = await migrateAll(storage, dialect ?? values.dialect?.name, values['dry-run'], host);
      if (encryption !== undefined) await reencrypt(storage, values['dry-run'], host);
      if (values['raise-layout'] && !values['dry-run']) await raise(storage, host);
      return code;
    } finally {
      await storage.close();
      setup?.close();
    }
  });
}

/** @returns the exit code: 1 when something could not be migrated */
async function migrateAll(
  storage: Storage,
  dialectName: string | undefined,
  dryRun: boolean,
  host: Host,
): Promise<number> {
  if (dialectName === undefined) throw new StartError('the store does not name its dialect; give --dialect');
  const dialect = dialects.get(dialectName);
  if (dialect === undefined) throw new StartError(`the store is of the unknown dialect ${dialectName}`);
  const { clock, entropy, stderr, stdout } = host;
  const progress = new Progress(host, dryRun ? 'reading' : 'migrating');
  const httpClient = nodeHttpClient();
  try {
    const migrations = await interruptible(
      host,
      (signal) =>
        migrateStore(
          storage,
          {
            ...{ dialect, clock, entropy, network: { httpClient } },
            observability: { logger: createTextLogger(stderr, clock) },
          },
          {
            dryRun,
            signal,
            onProgress: (_definition, objects, all) => progress.at(objects, all),
            onMigrated: (migration) => {
              progress.end();
              stdout.write(resultText(migration, dryRun));
            },
          },
        ),
      'run the command again to migrate the rest',
    );
    if (migrations.length === 0) stdout.write('There are no custom resource definitions.\n');
    return migrations.some(({ problem, failures }) => problem !== undefined || failures.length > 0) ? 1 : 0;
  } finally {
    progress.end();
    httpClient.close();
  }
}

/** Raises the layout of a store. @throws UnusableStoreError naming the servers that run and do not read it */
async function raise(storage: Storage, { stdout }: Host): Promise<void> {
  await raiseLayout(storage, STORE_LAYOUT);
  const readers = minReaderOf(STORE_LAYOUT) ?? 'of this program';
  stdout.write(`The store has layout ${STORE_LAYOUT}, which version ${readers} and later read.\n`);
}

/** Writes what is not encrypted with the current key again. */
async function reencrypt(storage: Storage, dryRun: boolean, host: Host): Promise<void> {
  const progress = new Progress(host, dryRun ? 'reading' : 'encrypting');
  const { clock } = host;
  const { records, rewritten } = await interruptible(
    host,
    (signal) =>
      rewriteStale(storage, {
        ...{ clock, stampRevision, dryRun, signal },
        onProgress: (done, all) => progress.at(done, all),
      }),
    'run the command again to encrypt the rest',
  ).finally(() => progress.end());
  host.stdout.write(`encryption: ${records} values, ${rewritten} ${dryRun ? 'to be ' : ''}rewritten\n`);
}

function resultText(migration: DefinitionMigration, dryRun: boolean): string {
  const { definition, storageVersion, objects, rewritten, removedVersions, failures, problem } = migration;
  if (problem !== undefined) return `${definition}: not migrated: ${problem}\n`;
  const would = dryRun ? 'to be ' : '';
  const removed =
    removedVersions.length === 0 ? '' : `; ${would}removed from storedVersions: ${removedVersions.join(', ')}`;
  const shown = failures.slice(0, MAX_SHOWN).map(({ key, message }) => `  ${key}: ${message}\n`);
  const more = failures.length > MAX_SHOWN ? `  and ${failures.length - MAX_SHOWN} more\n` : '';
  const failed = failures.length === 0 ? '' : `; ${failures.length} failed:`;
  return `${definition} (${storageVersion}): ${objects} objects, ${rewritten} ${would}rewritten${removed}${failed}\n${shown.join('')}${more}`;
}
