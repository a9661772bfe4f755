/** Watches: initial states, events, and clients that do not read. */
import type { Client } from '../client.js';
import { configMap, fill, MAPS } from '../kinds.js';
import type { Answer, Reading, Row } from '../row.js';
import type { World } from '../world.js';

const many =
  (count: number, bytes: number) =>
  (world: World): Promise<void> =>
    fill(world, MAPS, count, (index) => configMap(`m-${index}`, { text: 'x'.repeat(bytes) }));

const watch = (query: string): string => `${MAPS}?watch=1${query}`;
const INITIAL = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const GATES = ['--feature-gates=WatchList=true'];

/** Updates of objects while others watch. */
async function update(client: Client, count: number, bytes: number): Promise<Answer[]> {
  return client.flood({
    request: (index) => ({
      ...{ method: 'PATCH', path: `${MAPS}/m-${index % 50}`, type: 'application/merge-patch+json' },
      body: `{"data":{"text":"${String(index % 10).repeat(bytes)}"}}`,
    }),
    ...{ times: count, atOnce: 8 },
  });
}

interface Crowd {
  readonly watches: number;
  readonly reading: Reading;
  readonly updates: number;
  readonly bytes: number;
  readonly accept?: string;
  readonly query?: string;
}

const CROWDS: Readonly<Record<string, Crowd>> = {
  '500 unread watches under 800 updates of 50 KB': { watches: 500, reading: 'unread', updates: 800, bytes: 50_000 },
  '500 read watches under 200 updates of 50 KB': { watches: 500, reading: 'stream', updates: 200, bytes: 50_000 },
  '200 slow watches under 400 updates of 50 KB': { watches: 200, reading: 'slow', updates: 400, bytes: 50_000 },
  '200 watches as Tables under 200 updates of 50 KB': {
    ...{ watches: 200, reading: 'stream', updates: 200, bytes: 50_000 },
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  },
  '200 watches as YAML under 200 updates of 50 KB': {
    watches: 200,
    reading: 'stream',
    updates: 200,
    bytes: 50_000,
    accept: 'application/yaml',
  },
  '200 watches in protobuf under 200 updates of 50 KB': {
    ...{ watches: 200, reading: 'stream', updates: 200, bytes: 50_000 },
    accept: 'application/vnd.kubernetes.protobuf;stream=watch',
  },
  '500 watches with selectors of their own under 1,000 updates': {
    ...{ watches: 500, reading: 'stream', updates: 1_000, bytes: 500 },
    query: '&labelSelector=a%20notin%20(b,c,d)',
  },
  '1,900 watches of single names under 1,000 updates': {
    ...{ watches: 1_900, reading: 'stream', updates: 1_000, bytes: 500 },
    query: '&fieldSelector=metadata.name%3Dm-1',
  },
};

const crowds = Object.entries(CROWDS).map(([name, { watches, reading, updates, bytes, accept, query = '' }]): Row => ({
  name,
  rights: 'edit',
  prepare: many(50, 1_000),
  sends: async (world, signal) => {
    const client = world.as('edit').until(signal);
    const watching = client.flood({
      request: { method: 'GET', path: watch(query), ...(accept === undefined ? {} : { accept }) },
      ...{ times: watches, reading },
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const written = await update(client, updates, bytes);
    return [...(await watching), ...written];
  },
  statuses: [0, 200, 406],
  keepsMb: 96,
}));

/** Forms of watches other than the stored one. */
const FORMS: Readonly<Record<string, { readonly accept: string; readonly query?: string }>> = {
  protobuf: { accept: 'application/vnd.kubernetes.protobuf;stream=watch' },
  Tables: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
  'Tables with objects': {
    ...{ accept: 'application/json;as=Table;v=v1;g=meta.k8s.io', query: '&includeObject=Object' },
  },
  metadata: { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' },
};

/** A map of 2 MB of small entries. */
const entriesOf = (round: number): object =>
  Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key-${index}`, `v${index + round}`]));

const formRows = Object.entries(FORMS).flatMap(([name, { accept, query = '' }]): Row[] => {
  const watching = (client: Client, times: number, more: string): Promise<Answer[]> =>
    client.flood({
      request: { method: 'GET', path: watch(query + more), accept },
      ...{ times, reading: 'stream' },
    });
  return [
    {
      name: `100 watches in ${name} under 6 updates of 100,000 entries`,
      rights: 'edit',
      prepare: (world) => fill(world, MAPS, 1, () => configMap('m-0', entriesOf(0))),
      sends: async (world, signal) => {
        const client = world.as('edit').until(signal);
        const watches = watching(client, 100, '&labelSelector=a!%3Db');
        const written = await client.flood({
          request: (round) => ({ method: 'PUT', path: `${MAPS}/m-0`, body: configMap('m-0', entriesOf(round + 1)) }),
          ...{ times: 6, atOnce: 1 },
        });
        return [...(await watches), ...written];
      },
      statuses: [0, 200],
      keepsMb: 96,
    },
    {
      name: `200 watches in ${name} that begin with 2,000 objects`,
      rights: 'view',
      flags: GATES,
      prepare: many(2_000, 1_000),
      sends: (world, signal) => watching(world.as('view').until(signal), 200, INITIAL),
      statuses: [0, 200],
    },
    {
      name: `500 watches in ${name} from an old version, unread`,
      rights: 'view',
      prepare: many(3_000, 1_000),
      sends: [
        {
          request: { method: 'GET', path: watch(`${query}&resourceVersion=1`), accept },
          ...{ times: 500, reading: 'unread' },
        },
      ],
      statuses: [0, 200, 410],
    },
  ];
});

/** Lists that nobody reads, each of another state of all objects. */
interface Superseded extends Pick<Row, 'name' | 'statuses'> {
  readonly objects: number;
  readonly bytes: number;
  /** Number of lists of each state, one after another, that are read. */
  readonly read: number;
  readonly unread: number;
}

const superseded = ({ objects, bytes, read, unread, ...row }: Superseded): Row => ({
  ...row,
  rights: 'edit',
  heapMb: 256,
  prepare: many(objects, bytes),
  sends: async (world, signal) => {
    const client = world.as('edit').until(signal);
    const request = { method: 'GET', path: MAPS };
    const lists: Promise<Answer[]>[] = [];
    const written: Answer[] = [];
    for (let round = 0; round < 12; round += 1) {
      if (read > 0) written.push(...(await client.flood({ request, times: read, atOnce: 1 })));
      lists.push(client.flood({ request, times: unread, reading: 'unread' }));
      written.push(...(await update(client, objects, bytes - round)));
    }
    return [...(await Promise.all(lists)).flat(), ...written];
  },
  keepsMb: 96,
});

const supersededLists: readonly Row[] = [
  superseded({
    name: 'unread lists, each before an update of all objects, in 256 MB',
    ...{ objects: 50, bytes: 400_000, read: 0, unread: 4 },
    statuses: [0, 200],
  }),
  superseded({
    name: 'unread lists that are kept, each before an update of all objects, in 256 MB',
    ...{ objects: 60, bytes: 30_000, read: 3, unread: 20 },
    // Lists that are not read take the share of their user.
    statuses: [0, 200, 429],
  }),
];

/** The rows. */
export const watches: readonly Row[] = [
  ...crowds,
  ...formRows,
  ...supersededLists,
  ...([1, 200, 2_000] as const).map((times): Row => ({
    name: `${times} watches that begin with 3,000 objects`,
    rights: 'view',
    flags: GATES,
    prepare: many(3_000, 200),
    sends: [{ request: { method: 'GET', path: watch(INITIAL) }, times, reading: 'stream' }],
    statuses: [0, 200],
  })),
  {
    name: '200 watches as Tables that begin with 3,000 objects',
    rights: 'view',
    flags: GATES,
    prepare: many(3_000, 2_000),
    sends: [
      {
        request: { method: 'GET', path: watch(INITIAL), accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
        times: 200,
        reading: 'stream',
      },
    ],
    statuses: [0, 200],
  },
  {
    name: '500 watches from an old version, unread',
    rights: 'view',
    prepare: many(3_000, 2_000),
    sends: [{ request: { method: 'GET', path: watch('&resourceVersion=1') }, times: 500, reading: 'unread' }],
    statuses: [0, 200, 410],
  },
  {
    name: '500 watches of 3,000 objects with selectors of their own',
    rights: 'view',
    prepare: many(3_000, 500),
    sends: [
      {
        request: (index) => ({ method: 'GET', path: watch(`&labelSelector=a!%3D${index},b!%3D${index}`) }),
        ...{ times: 500, reading: 'stream' },
      },
    ],
    statuses: [0, 200],
  },
  {
    name: '5,000 watches that end at once',
    rights: 'view',
    prepare: many(100, 200),
    sends: [{ request: { method: 'GET', path: watch('') }, times: 5_000, atOnce: 500, reading: 'abort' }],
    statuses: [0, 200],
  },
  {
    name: 'a deletion of 10,000 watched objects',
    rights: 'edit',
    prepare: many(10_000, 500),
    sends: async (world, signal) => {
      const client = world.as('edit').until(signal);
      const watching = client.flood({ request: { method: 'GET', path: watch('') }, times: 50, reading: 'stream' });
      const deleted = await client.send({ method: 'DELETE', path: MAPS });
      return [...(await watching), deleted];
    },
    statuses: [0, 200],
  },
];
