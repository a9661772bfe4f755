import { dialects, orch } from '../../names/index.js';
import { commonFlags } from '../command.js';
import type { Flag, FlagValues } from '../flags/flag.js';
import { duration, ifGiven, list, oneOf, text } from '../flags/kinds.js';

/** The engines that a store may be in. */
export type Engine = 'sqlite' | 'memory' | 'etcd';

const engines: ReadonlyMap<string, Engine> = new Map([
  ['sqlite', 'sqlite'],
  ['memory', 'memory'],
  ['etcd', 'etcd'],
]);
const durabilities = new Map([
  ['full', 'full'],
  ['relaxed', 'relaxed'],
] as const);

/** Where an etcd store is within its cluster, and how this program proves itself there. */
export const etcdAccessFlags = {
  'etcd-prefix': ifGiven(
    text('PATH', '/registry', 'What the keys in etcd begin with: a store of its own for each prefix.'),
  ),
  'etcd-cafile': ifGiven(
    text('FILE', '', 'Authorities (PEM) of the certificates of etcd. Default: those of the host.'),
  ),
  'etcd-certfile': ifGiven(text('FILE', '', 'The client certificate (PEM) for etcd.')),
  'etcd-keyfile': ifGiven(text('FILE', '', 'Its key (PEM).')),
  'etcd-username': ifGiven(text('NAME', '', 'The user of etcd.')),
  'etcd-password-file': ifGiven(text('FILE', '', 'A file with the password of that user and nothing else.')),
};

/** The flags by which a command is told of one store. */
export const storageFlags = {
  storage: oneOf(
    'ENGINE',
    engines,
    'sqlite',
    'sqlite',
    'What keeps the state: sqlite (a file), etcd (a cluster of its own, for more than one server), memory (it ends with the process).',
  ),
  'data-dir': ifGiven(
    text('DIR', '', 'Where sqlite keeps its file, store.db. Default: .orch/data/ and the name of the dialect.'),
  ),
  'etcd-servers': ifGiven(list('URLS', [], 'Where etcd is: http:// or https:// and host:port, one for each member.')),
  ...etcdAccessFlags,
};

/** The flags of a command that works on one store. */
export const keptStoreFlags = {
  dialect: ifGiven(
    oneOf(
      'NAME',
      dialects,
      '',
      orch,
      `The dialect that the store must have, one of ${[...dialects.keys()].join(', ')}; it is in the default of --data-dir. Default: what the store or the backup says.`,
    ),
  ),
  ...storageFlags,
  ...commonFlags,
};

/** Further flags of a server's own store. */
export const servedStorageFlags = {
  ...storageFlags,
  'storage-durability': ifGiven(
    oneOf<'full' | 'relaxed'>(
      'LEVEL',
      durabilities,
      'full',
      'full',
      'What a write survives that sqlite has acknowledged: full, a power cut; relaxed, the end of the process alone: a power cut may take the last writes with it.',
    ),
  ),
  'etcd-compaction-interval': ifGiven(
    duration('5m0s', 'How often the history in etcd is compacted; 0 for never, where somebody else does it.'),
  ),
};

/** What the flags of one store came to. */
export type StorageValues = FlagValues<typeof storageFlags> &
  Partial<Pick<FlagValues<typeof servedStorageFlags>, 'storage-durability' | 'etcd-compaction-interval'>>;

/** What the flags for access to etcd came to. */
export type EtcdAccessValues = FlagValues<typeof etcdAccessFlags>;

type Prefixed<Prefix extends string, Table> = {
  readonly [Name in keyof Table & string as `${Prefix}-${Name}`]: Table[Name];
};

/** The flags of a table under names that begin with the side that they are for. */
export function flagsFor<const Side extends string, Table extends Readonly<Record<string, Flag<string | undefined>>>>(
  side: Side,
  table: Table,
): Prefixed<Side, Table> {
  const entries = Object.entries(table).map(([name, flag]) => [
    `${side}-${name}`,
    { ...flag, help: `For --${side}: ${flag.help.charAt(0).toLowerCase()}${flag.help.slice(1)}` },
  ]);
  // The entries have the names and the types of the table.
  return Object.fromEntries(entries) as Prefixed<Side, Table>;
}
