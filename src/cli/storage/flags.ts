import { dialects, orch } from '../../foundation/index.js';
import { commonFlags } from '../command.js';
import type { Flag, FlagValues } from '../flags/flag.js';
import { bool, duration, heapMemory, ifGiven, list, oneOf, text } from '../flags/kinds.js';
import { topic } from '../flags/topic.js';

/** The storage engines of a store. */
export type Engine = 'sqlite' | 'memory' | 'etcd' | 'postgres';

const engines: ReadonlyMap<string, Engine> = new Map([
  ['sqlite', 'sqlite'],
  ['memory', 'memory'],
  ['etcd', 'etcd'],
  ['postgres', 'postgres'],
]);
const durabilities = new Map([
  ['full', 'full'],
  ['relaxed', 'relaxed'],
] as const);

/** The location of a store within an etcd cluster, and the credentials for it. */
export const etcdAccessFlags = {
  'etcd-prefix': ifGiven(text('PATH', '/registry', 'Prefix of the keys in etcd; each prefix is a separate store.')),
  'etcd-cafile': ifGiven(
    text('FILE', '', 'Certificate authorities (PEM) for the certificates of etcd. Default: those of the host.'),
  ),
  'etcd-certfile': ifGiven(text('FILE', '', 'Client certificate (PEM) for etcd.')),
  'etcd-keyfile': ifGiven(text('FILE', '', 'Private key of the client certificate (PEM).')),
  'etcd-username': ifGiven(text('NAME', '', 'User name for etcd.')),
  'etcd-password-file': ifGiven(text('FILE', '', 'File that contains only the password of that user.')),
};

/** The location of a store within a PostgreSQL database. */
export const postgresAccessFlags = {
  'postgres-schema': ifGiven(
    text(
      'NAME',
      'orch',
      'Schema of the store in PostgreSQL, which is made if it does not exist; each schema is a separate store.',
    ),
  ),
};

/** The flags that select one store. */
export const storageFlags = {
  storage: oneOf(
    'ENGINE',
    engines,
    'sqlite',
    'sqlite',
    'Storage engine: sqlite (a file), postgres (a PostgreSQL database, for one or more servers), etcd (a separate cluster, for one or more servers), memory (lost when the process ends).',
  ),
  'data-dir': ifGiven(
    text('DIR', '', 'Directory of the sqlite file, store.db. Default: .orch/data/ and the name of the dialect.'),
  ),
  'etcd-servers': ifGiven(list('URLS', [], 'URLs of the etcd members: http:// or https:// and host:port.')),
  ...etcdAccessFlags,
  'postgres-url': ifGiven(
    text(
      'URL',
      '',
      'URL of the PostgreSQL database: postgres://USER@HOST:PORT/NAME. Other users of this host can see it; give a password by --postgres-url-file, PGPASSWORD or PGPASSFILE.',
    ),
  ),
  'postgres-url-file': ifGiven(text('FILE', '', 'File that contains only that URL.')),
  ...postgresAccessFlags,
};

/** The flags of a command that operates on one store. */
export const durableStoreFlags = {
  ...topic('Store', {
    dialect: ifGiven(
      oneOf(
        'NAME',
        dialects,
        '',
        orch,
        `Dialect that the store must have, one of ${[...dialects.keys()].join(', ')}; also part of the default of --data-dir. Default: the dialect of the store or the backup.`,
      ),
    ),
    ...storageFlags,
  }),
  ...commonFlags,
};

/** The storage flags of `serve`. */
export const servedStorageFlags = {
  ...storageFlags,
  'storage-durability': ifGiven(
    oneOf<'full' | 'relaxed'>(
      'LEVEL',
      durabilities,
      'full',
      'full',
      'Durability of acknowledged writes: full survives power loss, on postgres as its synchronous_commit says; with relaxed, power loss (on postgres: a crash of the database) may lose the last writes.',
    ),
  ),
  'cache-objects': ifGiven({
    ...heapMemory(
      '25%',
      'Maximum memory of the texts of objects, for a store in sqlite or PostgreSQL that is larger than memory: a share of the heap (25%) or bytes (256Mi). Keys and indexes stay in memory; other texts are read from the file or the database when they are needed. On sqlite not with a KMS provider. Default: all texts are in memory.',
    ),
    shown: '',
  }),
  'postgres-listen-url': ifGiven(
    text(
      'URL',
      '',
      'URL of the same database without a pooler, for notifications, where --postgres-url leads to a pooler in transaction mode. Other users of this host can see it; give a password by PGPASSWORD or PGPASSFILE.',
    ),
  ),
  'postgres-prepared-statements': ifGiven(
    bool(
      true,
      'Prepares statements by name; set it to false for a pooler in transaction mode that does not support that.',
    ),
  ),
  'etcd-compaction-interval': ifGiven(
    duration('5m0s', 'Interval of history compaction in etcd; 0 for never, if something else compacts it.'),
  ),
  'watch-cache': ifGiven(
    bool(
      true,
      'Answers reads of etcd and PostgreSQL from a copy in memory, which asks them only for the newest revision; not of a store larger than --max-objects-text.',
    ),
  ),
};

/** Parsed values of the flags that select one store. */
export type StorageValues = FlagValues<typeof storageFlags> &
  Partial<
    Pick<
      FlagValues<typeof servedStorageFlags>,
      | 'storage-durability'
      | 'cache-objects'
      | 'etcd-compaction-interval'
      | 'postgres-listen-url'
      | 'postgres-prepared-statements'
      | 'watch-cache'
    >
  >;

/** Parsed values of the etcd access flags. */
export type EtcdAccessValues = FlagValues<typeof etcdAccessFlags>;

/** Parsed values of the PostgreSQL access flags. */
export type PostgresAccessValues = FlagValues<typeof postgresAccessFlags>;

type Prefixed<Prefix extends string, Table> = {
  readonly [Name in keyof Table & string as `${Prefix}-${Name}`]: Table[Name];
};

/** Returns the flags of a table with a side (`from`, `to`) as the prefix of their names. */
export function flagsFor<const Side extends string, Table extends Readonly<Record<string, Flag<string | undefined>>>>(
  side: Side,
  table: Table,
): Prefixed<Side, Table> {
  const entries = Object.entries(table).map(([name, flag]) => [
    `${side}-${name}`,
    { ...flag, help: `For --${side}: ${flag.help.charAt(0).toLowerCase()}${flag.help.slice(1)}` },
  ]);
  // The entries keep the prefixed names and types of the table.
  return Object.fromEntries(entries) as Prefixed<Side, Table>;
}
