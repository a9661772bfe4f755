import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from '../../foundation/index.js';
import type { EtcdStorageOptions, PemSource, PostgresStorageOptions } from '../../storage/node.js';
import type { FlagValues } from '../flags/flag.js';
import { readFlagFile } from '../serve/files.js';
import { UsageError } from '../usage-error.js';
import type { durableStoreFlags, EtcdAccessValues, PostgresAccessValues, StorageValues } from './flags.js';

/** A store in a file. */
export interface SqliteChoice {
  readonly engine: 'sqlite';
  /** Flag that selects the store, for messages. */
  readonly flag: string;
  readonly directory: string;
  readonly durability: 'full' | 'relaxed';
  /** Maximum bytes of the texts in memory; undefined for no limit. */
  readonly cacheObjects?: number | undefined;
}

/** A store in etcd. */
export interface EtcdChoice {
  readonly engine: 'etcd';
  /** Flag that selects the store, for messages. */
  readonly flag: string;
  readonly options: Omit<EtcdStorageOptions, 'clock'> & { readonly prefix: string };
}

/** A store in PostgreSQL. */
export interface PostgresChoice {
  readonly engine: 'postgres';
  /** Flag that selects the store, for messages. */
  readonly flag: string;
  readonly options: Omit<PostgresStorageOptions, 'clock'> & { readonly url: string; readonly schema: string };
}

/** A store in another process, which several servers share. */
export type SharedChoice = EtcdChoice | PostgresChoice;

/** A durable store. */
export type DurableChoice = SqliteChoice | SharedChoice;

/** A store with the options to open it. */
export type StoreChoice = { readonly engine: 'memory' } | DurableChoice;

/** Returns the same store without periodic compaction, which is the servers' task. */
export function withoutCompaction(choice: SharedChoice): SharedChoice {
  return choice.engine === 'etcd'
    ? { ...choice, options: { ...choice.options, compactionInterval: 0 } }
    : { ...choice, options: { ...choice.options, compactionInterval: 0 } };
}

/** Returns the same store for a command that works on what exists: it makes nothing, and compacts only when told. */
export function existing(choice: SharedChoice): SharedChoice {
  const uncompacted = withoutCompaction(choice);
  return uncompacted.engine === 'etcd'
    ? uncompacted
    : { ...uncompacted, options: { ...uncompacted.options, createTables: false } };
}

/** Returns the default store directory of a dialect, beside the kubeconfig. */
export const defaultDirectory = (dialect: Dialect): string => join('.orch', 'data', dialect.name);

/** Returns the path of a store's file. */
export const storeFile = ({ directory }: Pick<SqliteChoice, 'directory'>): string => join(directory, 'store.db');

/** Returns the store that the flags select.
 *
 * @param directory returns the directory of a sqlite store; called when no flag sets it
 * @throws UsageError when flags contradict each other, or a file cannot be read; what `directory` throws
 */
export async function chooseStore(
  values: StorageValues,
  directory: () => string | Promise<string>,
): Promise<StoreChoice> {
  refuseTwoStores(values);
  refuseFlagsOfOthers(values);
  if (values.storage === 'memory') return { engine: 'memory' };
  if (values.storage === 'sqlite') return servedSqlite(values, values['data-dir'] ?? (await directory()));
  if (values.storage === 'postgres') return servedPostgres(values);
  const endpoints = values['etcd-servers'] ?? [];
  if (endpoints.length === 0) throw new UsageError('--etcd-servers must be specified with --storage etcd');
  const choice = await etcdAt('etcd-servers', endpoints, values, '', values['etcd-compaction-interval']);
  return { ...choice, options: { ...choice.options, watchCache: values['watch-cache'] } };
}

/** Returns the durable store that a command operates on.
 *
 * @param directory returns the directory of a sqlite store; called when the flags set neither a directory nor a dialect
 * @throws UsageError as {@link chooseStore}, and for a store in memory
 */
export async function chooseDurableStore(
  values: FlagValues<typeof durableStoreFlags>,
  directory: () => string | Promise<string>,
): Promise<DurableChoice> {
  const { dialect } = values;
  const choice = await chooseStore(values, () => (dialect === undefined ? directory() : defaultDirectory(dialect)));
  if (choice.engine === 'memory')
    throw new UsageError('--storage memory: only the server itself can access a store in memory');
  return choice;
}

/** Returns a sqlite store in a directory. @throws UsageError when the directory is empty */
export function sqliteIn(
  flag: string,
  directory: string,
  durability: SqliteChoice['durability'] = 'full',
): SqliteChoice {
  if (directory === '') throw new UsageError(`--${flag} should not be an empty string`);
  return { engine: 'sqlite', flag, directory, durability };
}

/** Returns an etcd store.
 *
 * @param flagOfUrls flag that contains the endpoints, for messages
 * @param side prefix of the other flags: `from-`, `to-` or empty
 * @throws UsageError when one flag of a pair is missing, or a file cannot be read
 */
export async function etcdAt(
  flagOfUrls: string,
  endpoints: readonly string[],
  values: EtcdAccessValues,
  side: string,
  compactionInterval?: number,
): Promise<EtcdChoice> {
  const flag = (name: keyof EtcdAccessValues): string => `${side}${name}`;
  const pair = (one: keyof EtcdAccessValues, other: keyof EtcdAccessValues): void => {
    if ((values[one] === undefined) !== (values[other] === undefined))
      throw new UsageError(`--${flag(one)} and --${flag(other)} must be given together`);
  };
  pair('etcd-certfile', 'etcd-keyfile');
  pair('etcd-username', 'etcd-password-file');
  const { 'etcd-username': username, 'etcd-password-file': passwordFile } = values;
  return {
    engine: 'etcd',
    flag: flagOfUrls,
    options: {
      endpoints,
      prefix: values['etcd-prefix'] ?? '/registry',
      ...(await pemOf('ca', flag('etcd-cafile'), values['etcd-cafile'])),
      ...(await pemOf('cert', flag('etcd-certfile'), values['etcd-certfile'])),
      ...(await pemOf('key', flag('etcd-keyfile'), values['etcd-keyfile'])),
      // Editors append a line break, which is not part of the password.
      ...(username === undefined || passwordFile === undefined
        ? {}
        : { username, password: (await readFlagFile(flag('etcd-password-file'), passwordFile)).replace(/\r?\n$/, '') }),
      compactionInterval,
    },
  };
}

const servedSqlite = (values: StorageValues, directory: string): SqliteChoice => ({
  ...sqliteIn('data-dir', directory, values['storage-durability']),
  cacheObjects: values['cache-objects'],
});

async function servedPostgres(values: StorageValues): Promise<PostgresChoice> {
  const { 'postgres-url': url, 'postgres-url-file': file } = values;
  if (url !== undefined && file !== undefined)
    throw new UsageError('--postgres-url and --postgres-url-file must not be given together');
  if (url === undefined && file === undefined)
    throw new UsageError('--postgres-url or --postgres-url-file must be specified with --storage postgres');
  const choice =
    file === undefined
      ? postgresAt('postgres-url', url ?? '', values)
      : // Editors append a line break, which is not part of the URL.
        postgresAt('postgres-url-file', (await readFlagFile('postgres-url-file', file)).trim(), values);
  const durability = values['storage-durability'] === 'relaxed' ? 'relaxed' : 'database';
  const { 'watch-cache': watchCache, 'cache-objects': cacheObjects } = values;
  if (cacheObjects !== undefined && watchCache === false)
    throw new UsageError('--cache-objects limits the watch cache: leave it out, or do not set --watch-cache=false');
  const { 'postgres-listen-url': listenUrl, 'postgres-prepared-statements': preparedStatements } = values;
  return {
    ...choice,
    options: { ...choice.options, durability, watchCache, cacheObjects, listenUrl, preparedStatements },
  };
}

/** Returns a store in PostgreSQL. @param flag flag that contains the URL, for messages */
export function postgresAt(flag: string, url: string, values: PostgresAccessValues): PostgresChoice {
  return { engine: 'postgres', flag, options: { url, schema: values['postgres-schema'] ?? 'orch' } };
}

/** Checks that a file is readable now, and returns a source that reads it again for each connection. */
async function pemOf<const Name extends 'ca' | 'cert' | 'key'>(
  name: Name,
  flag: string,
  path: string | undefined,
): Promise<Partial<Record<Name, PemSource>>> {
  if (path === undefined) return {};
  await readFlagFile(flag, path);
  return { [name]: () => readFileSync(path, 'utf8') } as Partial<Record<Name, PemSource>>;
}

/** @throws UsageError when flags name two stores, regardless of the engine */
function refuseTwoStores(values: StorageValues): void {
  const { 'data-dir': directory, 'etcd-servers': servers } = values;
  const named = [
    directory === undefined ? undefined : `--data-dir ${directory}`,
    servers === undefined ? undefined : `--etcd-servers ${servers.join(',')}`,
    // A URL may contain a password.
    values['postgres-url'] === undefined ? undefined : '--postgres-url',
    values['postgres-url-file'] === undefined ? undefined : '--postgres-url-file',
  ].filter((name) => name !== undefined);
  const isPostgresTwice = named.length === 2 && named.every((name) => name.startsWith('--postgres'));
  if (named.length > 1 && !isPostgresTwice)
    throw new UsageError(`${named.slice(0, 2).join(' and ')} are two stores: specify only one of them`);
}

/** @throws UsageError for a flag of an engine that is not selected */
function refuseFlagsOfOthers(values: StorageValues): void {
  for (const [name, value] of Object.entries(values)) {
    const engines = enginesOf(name);
    if (engines !== undefined && value !== undefined && !engines.includes(values.storage))
      throw new UsageError(
        `--${name} is for --storage ${engines.join(' or ')}, not for ${values.storage}${remedyOf(name, values.storage)}`,
      );
  }
}

/** Returns what to do in place of a flag that an engine does not have; empty when there is nothing to say. */
const remedyOf = (flag: string, engine: string): string =>
  flag === 'cache-objects' && engine === 'etcd'
    ? ': leave it out and set --watch-cache=false, so that etcd answers every read, or move the store with orch-apiserver copy'
    : '';

/** Returns the engines that a flag is for; undefined for a flag of all. */
function enginesOf(flag: string): readonly string[] | undefined {
  if (flag.startsWith('etcd-')) return ['etcd'];
  if (flag.startsWith('postgres-')) return ['postgres'];
  if (flag === 'watch-cache' || flag === 'replace-agreement') return ['etcd', 'postgres'];
  if (flag === 'data-dir') return ['sqlite'];
  return flag === 'storage-durability' || flag === 'cache-objects' ? ['sqlite', 'postgres'] : undefined;
}
