import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { isRevokedOwnerToken, type ApiServer } from '../../apiserver/index.js';
import type { Logger } from '../../foundation/index.js';
import type { Storage, WatchCacheStatus } from '../../storage/index.js';
import type { FlagValues } from '../flags/flag.js';
import type { Host } from '../host.js';
import { chooseStore, defaultDirectory, storeFile, type StoreChoice } from '../storage/choice.js';
import { setUpEncryption } from '../storage/encryption.js';
import { isRefusal, openStore, orStartError, placeOf } from '../storage/open.js';
import { ownerTokenIn } from '../storage/revoke-owner-token.js';
import { UsageError } from '../usage-error.js';
import { reasonOf, readText } from './files.js';
import type { serveFlags } from './flags.js';

type Values = FlagValues<typeof serveFlags>;

/** The store of a server, with the token of the owner that depends on it. */
export interface ServedStore {
  readonly choice: StoreChoice;
  readonly storage: Storage;
  readonly ownerToken: string | undefined;
}

/** Opens the store that the flags select, runs work, and closes the store.
 *
 * @throws UsageError when flags contradict each other; StartError when the store cannot be opened
 */
export async function withServedStore(
  values: Values,
  host: Host,
  logger: Logger,
  work: (store: ServedStore) => Promise<void>,
): Promise<void> {
  const choice = await chooseStore(values, () => defaultDirectory(values.dialect));
  const ownerToken = choice.engine === 'memory' ? undefined : await ownerTokenOf(values['kubeconfig-out']);
  const file = choice.engine === 'sqlite' ? storeFile(choice) : undefined;
  if (file !== undefined && (await isEmptyFile(file)))
    logger.error(`${file} is an empty file, in which a new store begins: if it held objects, restore a backup`);
  const setup = await setUpEncryption(values, choice, values.dialect, host, logger);
  try {
    const storage = await openStore(choice, host, {
      onCacheStatus: (status) => logCacheStatus(logger, status),
      encryption: setup?.encryption,
    });
    try {
      await work({ choice, storage, ownerToken: await unlessRevoked(storage, ownerToken, logger) });
    } finally {
      await storage.close();
    }
  } finally {
    setup?.close();
  }
}

/** A store is never empty: what empties its file loses all objects, which would otherwise look like a first start. */
async function isEmptyFile(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() === true && found.size === 0;
}

function logCacheStatus(logger: Logger, status: WatchCacheStatus): void {
  if (status.kind === 'serving') {
    const { objects, textBytes, revision } = status;
    logger.info('reads are answered from the watch cache', { objects, textBytes, revision });
    return;
  }
  const { message, retryAfter } = status;
  logger.error(`reads go to the database: ${message}`, { retryAfter });
}

/** Waits until the server is ready. During startup it also validates configuration and policy files.
 *
 * @throws StartError when the store is unusable; UsageError when a configuration is invalid
 */
export async function started(server: ApiServer, choice: StoreChoice, values: Values): Promise<void> {
  const given = (['authentication-config', 'authorization-config', 'authorization-policy-file'] as const).filter(
    (flag) => values[flag] !== '',
  );
  await orStartError(choice, async () => {
    try {
      await server.ready();
    } catch (error) {
      if (given.length === 0 || isRefusal(error)) throw error;
      throw new UsageError(`--${given.join(', --')}: ${reasonOf(error)}`);
    }
  });
}

/** Returns the notice about the location of the state, shown at startup. */
export function storageNotice(choice: StoreChoice): string {
  if (choice.engine === 'memory') return 'the state is in memory and is lost when this process ends';
  const relaxed = choice.engine === 'sqlite' && choice.durability === 'relaxed';
  return `the state is in ${placeOf(choice)}${relaxed ? '; power loss may lose the last writes' : ''}`;
}

/**
 * Returns the owner token from the kubeconfig of an earlier run, so that copies of the kubeconfig stay valid. Returns
 * undefined, so that a new token is generated, when the file is missing, when other users could read or write it, or
 * when it contains no token of this program.
 */
async function ownerTokenOf(path: string): Promise<string | undefined> {
  try {
    return path !== '' && isPrivate(await stat(path)) ? ownerTokenIn(await readText(path)) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a token unless it was revoked in the store. Without one, a new one is made. */
async function unlessRevoked(storage: Storage, token: string | undefined, logger: Logger): Promise<string | undefined> {
  if (token === undefined || storage.isShared !== true || !(await isRevokedOwnerToken(storage, token))) return token;
  logger.info('the token in the kubeconfig has been revoked, and is replaced');
  return undefined;
}

/** Returns whether only the current user can access a file; false on systems without file owners. */
function isPrivate(stats: Stats): boolean {
  return stats.isFile() && (stats.mode & 0o077) === 0 && stats.uid === userInfo().uid;
}
