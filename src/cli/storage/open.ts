import { stampRevision } from '../../registry/index.js';
import {
  createMemoryStorage,
  StorageError,
  UnusableStoreError,
  type Storage,
  type ValueCodec,
  type WatchCacheOptions,
} from '../../storage/index.js';
import { importEtcd, importPostgres, importSqlite } from '../../storage/late-node.js';
import type { Host } from '../host.js';
import { reasonOf } from '../serve/files.js';
import { StartError, UsageError } from '../usage-error.js';
import { storeFile, type EtcdChoice, type PostgresChoice, type SqliteChoice, type StoreChoice } from './choice.js';

/** Settings with which a command opens a store. */
export interface OpenSettings {
  /** Called when the watch cache of a store in another process starts or stops answering. */
  readonly onCacheStatus?: WatchCacheOptions['onStatus'] | undefined;
  /** Default: encrypted values are refused. */
  readonly encryption?: ValueCodec | undefined;
}

/** Returns the location of a store, for messages. */
export function placeOf(choice: StoreChoice): string {
  if (choice.engine === 'memory') return 'memory';
  if (choice.engine === 'postgres')
    return `PostgreSQL at ${withoutPassword(choice.options.url)} in the schema ${choice.options.schema}`;
  return choice.engine === 'sqlite'
    ? storeFile(choice)
    : `etcd at ${choice.options.endpoints.join(',')} below ${choice.options.prefix}`;
}

/**
 * Opens a store, and creates it if it does not exist.
 *
 * @throws UsageError when the engine rejects the flag values; StartError when the store cannot be opened, with the
 *   remedy
 */
export async function openStore(choice: StoreChoice, host: Host, settings: OpenSettings = {}): Promise<Storage> {
  if (choice.engine === 'memory') return createMemoryStorage({ clock: host.clock });
  return orStartError(choice, () => {
    if (choice.engine === 'sqlite') return openSqlite(choice, host, settings);
    return choice.engine === 'etcd' ? openEtcd(choice, host, settings) : openPostgres(choice, host, settings);
  });
}

/** Returns the place that a URL names: a password in it is not shown. */
function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return 'a URL that cannot be read';
  const { hostname, port, pathname } = new URL(url);
  return `${hostname}${port === '' ? '' : `:${port}`}${pathname}`;
}

async function openSqlite(choice: SqliteChoice, { clock }: Host, { encryption }: OpenSettings): Promise<Storage> {
  const { openSqliteStorage, OpeningFailure } = await importSqlite();
  try {
    return await openSqliteStorage({
      path: storeFile(choice),
      durability: choice.durability,
      cacheObjects: choice.cacheObjects,
      clock,
      encryption,
      stampRevision,
    });
  } catch (error) {
    if (error instanceof TypeError && choice.cacheObjects !== undefined)
      throw new UsageError(`--cache-objects: ${error.message.replace(/^openSqliteStorage: /, '')}`);
    const hasNoLibrary =
      error instanceof StorageError && error.cause instanceof OpeningFailure && error.cause.during === 'loading';
    throw hasNoLibrary
      ? new StartError(`--storage sqlite: ${error.message}; or use --storage memory, which is not durable`)
      : error;
  }
}

async function openEtcd(
  choice: EtcdChoice,
  { clock }: Host,
  { onCacheStatus: onStatus, encryption }: OpenSettings,
): Promise<Storage> {
  const { openEtcdStorage } = await importEtcd();
  try {
    const watchCache = choice.options.watchCache === false ? false : { onStatus };
    return await openEtcdStorage({ ...choice.options, watchCache, encryption, clock });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`--${choice.flag}: ${error.message.replace(/^endpoints: /, '')}`);
  }
}

async function openPostgres(
  choice: PostgresChoice,
  { clock }: Host,
  { onCacheStatus: onStatus, encryption }: OpenSettings,
): Promise<Storage> {
  const { openPostgresStorage } = await importPostgres();
  try {
    const watchCache = choice.options.watchCache === false ? false : { onStatus };
    return await openPostgresStorage({ ...choice.options, watchCache, encryption, clock });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`--${choice.flag}: ${error.message}`);
  }
}

/** Runs work on a store. @throws StartError that names the flag, when the store refuses the work */
export async function orStartError<Result>(choice: StoreChoice, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isRefusal(error) && choice.engine !== 'memory'
      ? new StartError(`--${choice.flag}: ${reasonOf(error)}`, { cause: error })
      : error;
  }
}

/** Returns whether an error is a refusal by a store, as opposed to an unexpected failure. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof StorageError || error instanceof UnusableStoreError;
