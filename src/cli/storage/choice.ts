import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Dialect } from '../../names/index.js';
import type { EtcdStorageOptions, PemSource } from '../../storage/etcd/index.js';
import { UsageError } from '../usage-error.js';
import { readFlagFile } from '../serve/files.js';
import type { FlagValues } from '../flags/flag.js';
import type { EtcdAccessValues, keptStoreFlags, StorageValues } from './flags.js';

/** A store in a file. */
export interface SqliteChoice {
  readonly engine: 'sqlite';
  /** The flag that says it, for messages. */
  readonly flag: string;
  readonly directory: string;
  readonly durability: 'full' | 'relaxed';
}

/** A store in etcd. */
export interface EtcdChoice {
  readonly engine: 'etcd';
  /** The flag that says it, for messages. */
  readonly flag: string;
  readonly options: Omit<EtcdStorageOptions, 'clock'> & { readonly prefix: string };
}

/** A store that outlives a process. */
export type KeptChoice = SqliteChoice | EtcdChoice;

/** A store, and what it takes to open it. */
export type StoreChoice = { readonly engine: 'memory' } | KeptChoice;

/** The store for a command, which leaves its history to the servers. */
export function withoutCompaction(choice: EtcdChoice): EtcdChoice {
  return { ...choice, options: { ...choice.options, compactionIntervalMs: 0 } };
}

/** Where stores are kept that nobody gave a place: beside the kubeconfig, and one for each dialect. */
export const defaultDirectory = (dialect: Dialect): string => join('.orch', 'data', dialect.name);

/** The name of a store's file in its directory. */
export const storeFile = ({ directory }: Pick<SqliteChoice, 'directory'>): string => join(directory, 'store.db');

/**
 * The store that the flags say.
 *
 * @param directory of a store in a file, asked for when no flag says it
 * @throws UsageError when flags contradict each other, or a file cannot be read; what `directory` throws
 */
export async function chooseStore(
  values: StorageValues,
  directory: () => string | Promise<string>,
): Promise<StoreChoice> {
  refuseTwoStores(values);
  refuseFlagsOfOthers(values);
  if (values.storage === 'memory') return { engine: 'memory' };
  if (values.storage === 'sqlite')
    return sqliteIn('data-dir', values['data-dir'] ?? (await directory()), values['storage-durability']);
  const endpoints = values['etcd-servers'] ?? [];
  if (endpoints.length === 0) throw new UsageError('--etcd-servers must be specified with --storage etcd');
  return etcdAt('etcd-servers', endpoints, values, '', values['etcd-compaction-interval']);
}

/**
 * The store that a command works on.
 *
 * @param directory of a store in a file, asked for when neither a place nor a dialect is given
 * @throws UsageError as {@link chooseStore}, and for a store that no other process can see
 */
export async function chooseKeptStore(
  values: FlagValues<typeof keptStoreFlags>,
  directory: () => string | Promise<string>,
): Promise<KeptChoice> {
  const { dialect } = values;
  const choice = await chooseStore(values, () => (dialect === undefined ? directory() : defaultDirectory(dialect)));
  if (choice.engine === 'memory')
    throw new UsageError('--storage memory: a store in memory is seen by its own server alone');
  return choice;
}

/** A store in a directory. @throws UsageError when that is empty */
export function sqliteIn(
  flag: string,
  directory: string,
  durability: SqliteChoice['durability'] = 'full',
): SqliteChoice {
  if (directory === '') throw new UsageError(`--${flag} should not be an empty string`);
  return { engine: 'sqlite', flag, directory, durability };
}

/**
 * A store in a cluster.
 *
 * @param flagOfUrls what says where it is, for messages
 * @param side what the other flags begin with: `from-`, or nothing
 * @throws UsageError when what belongs together is not there, or a file cannot be read
 */
export async function etcdAt(
  flagOfUrls: string,
  endpoints: readonly string[],
  values: EtcdAccessValues,
  side: string,
  compactionIntervalMs?: number,
): Promise<EtcdChoice> {
  const flag = (name: keyof EtcdAccessValues): string => `${side}${name}`;
  const pair = (one: keyof EtcdAccessValues, other: keyof EtcdAccessValues): void => {
    if ((values[one] === undefined) !== (values[other] === undefined))
      throw new UsageError(`--${flag(one)} and --${flag(other)} go together: give both, or none`);
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
      // Editors end a file with a line break, which is no part of a password.
      ...(username === undefined || passwordFile === undefined
        ? {}
        : { username, password: (await readFlagFile(flag('etcd-password-file'), passwordFile)).replace(/\r?\n$/, '') }),
      compactionIntervalMs,
    },
  };
}

/** A file that is read now, to see that it can be, and again for each connection, as it may be replaced. */
async function pemOf<const Name extends 'ca' | 'cert' | 'key'>(
  name: Name,
  flag: string,
  path: string | undefined,
): Promise<Partial<Record<Name, PemSource>>> {
  if (path === undefined) return {};
  await readFlagFile(flag, path);
  return { [name]: () => readFileSync(path, 'utf8') } as Partial<Record<Name, PemSource>>;
}

/** Two places are two stores, whatever engine is chosen. */
function refuseTwoStores(values: StorageValues): void {
  const { 'data-dir': directory, 'etcd-servers': servers } = values;
  if (directory !== undefined && servers !== undefined)
    throw new UsageError(
      `--data-dir ${directory} and --etcd-servers ${servers.join(',')} are two stores: give one of them`,
    );
}

/** Nothing that was said is passed over. */
function refuseFlagsOfOthers(values: StorageValues): void {
  for (const [name, value] of Object.entries(values)) {
    const engine = name.startsWith('etcd-')
      ? 'etcd'
      : name === 'data-dir' || name === 'storage-durability'
        ? 'sqlite'
        : undefined;
    if (engine !== undefined && value !== undefined && engine !== values.storage)
      throw new UsageError(`--${name} is for --storage ${engine}, not for ${values.storage}`);
  }
}
