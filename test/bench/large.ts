/**
 * Large stores: what each request costs an object, how long another request waits meanwhile, and how long one turn of
 * the event loop takes. A long wait beside short turns is one for the engine or for the processor.
 *
 * `BENCH_SIZES=1000,30000` and `BENCH_CASES=list,watch` (parts of the names) shorten a run; `BENCH_ENGINES` selects from
 * memory, sqlite and etcd (default: the first two).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigMap, Namespace, copyStore, systemClock } from 'orch-apiserver';
import { ResourceQuota } from 'orch-apiserver/kinds';
import { createMemoryStorage } from 'orch-apiserver/storage/memory';
import { fillNamespace, filledWorld, isAvailable, nameOf, openFile, rewrite, serverOver } from './large-world.js';
import { ENGINES, type Engine, type World } from './large-world.js';
import { readAll, readInitialEvents, send } from './large-requests.js';
import { costOf, median, type Measure } from './measure.js';
import { probed, type Probed } from './probe.js';

export const COLLECTION = '/api/v1/namespaces/default/configmaps';
/** Number of objects of the collection and of the namespace that are deleted. */
const DELETED = 5_000;
const ROUNDS = 3;
const FEW_ROUNDS = 2;
/** Number of objects that a cost is measured over, at least. */
const ENOUGH = 30_000;
const WAIT_MS = 20;
const TURN_MS = 10;
const GROWTH = 1.5;

/** Something asked of a server. */
interface Case {
  readonly name: string;
  /** Number of objects that it concerns; default all. */
  readonly objects?: number;
  readonly rounds?: number;
  /** Whether it is measured on a server of its own, because what it keeps may take the whole limit. */
  readonly own?: boolean;
  /** Absent: the same can be asked again. */
  readonly prepare?: (world: World) => Promise<unknown>;
  readonly run: (world: World) => Promise<unknown>;
}

const asks = (name: string, target: string, fields?: Readonly<Record<string, string>>): Case => ({
  name,
  run: async ({ server }) => readAll(await send(server, 'GET', target, fields)),
});

/** A form of a list, whose items are kept. */
const listsIn = (name: string, fields: Readonly<Record<string, string>>): Case => ({
  ...asks(name, COLLECTION, fields),
  own: true,
});

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const METADATA = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
const INITIAL = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';

async function watchInitial({ server, objects }: World): Promise<void> {
  const abort = new AbortController();
  const response = await send(server, 'GET', `${COLLECTION}?${INITIAL}`, {}, abort.signal);
  const events = await readInitialEvents(response);
  if (events !== objects) throw new Error(`${events} events of ${objects}`);
}

async function compact({ storage }: World): Promise<void> {
  await storage.compact(await storage.currentRevision());
}

async function deleteNamespace({ server }: World): Promise<void> {
  const namespaces = server.client().resource(Namespace);
  await send(server, 'DELETE', '/api/v1/namespaces/doomed');
  for (;;) {
    await server.settled();
    if (!(await namespaces.list()).items.some(({ metadata }) => metadata.name === 'doomed')) return;
    await sleep(5);
  }
}

/** Creates a quota, waits until the controller has counted the objects, and deletes it. */
async function countByQuota({ server }: World): Promise<void> {
  const quotas = server.client().resource(ResourceQuota).namespace('default');
  await quotas.create({ metadata: { name: 'count' }, spec: { hard: { 'count/configmaps': '1000000' } } });
  for (;;) {
    await server.settled();
    if ((await quotas.get('count')).status?.used !== undefined) break;
    await sleep(5);
  }
  await quotas.delete('count');
}

/** Copies the store to one in memory, as a restore does. */
async function copy({ storage }: World): Promise<void> {
  const target = createMemoryStorage({ clock: systemClock });
  await copyStore(storage, target);
  await target.close();
}

/** Number of namespaces whose objects were deleted as a collection. */
let emptied = 0;

export const CASES: readonly Case[] = [
  asks('list of all', COLLECTION),
  asks('list by a label of 1 in 1,000', `${COLLECTION}?labelSelector=rare%3Dyes`),
  asks('list by a label of half', `${COLLECTION}?labelSelector=half%3Dyes`),
  asks('list by field', `/api/v1/configmaps?fieldSelector=metadata.name%3D${nameOf(7)}`),
  listsIn('Table of all', { accept: TABLE }),
  listsIn('metadata of all', { accept: METADATA }),
  listsIn('protobuf of all', { accept: 'application/vnd.kubernetes.protobuf' }),
  listsIn('YAML of all', { accept: 'application/yaml' }),
  asks('gzip of all', COLLECTION, { 'accept-encoding': 'gzip' }),
  { name: 'watch with initial events', run: watchInitial },
  { name: 'count of all for a quota', rounds: 1, run: countByQuota },
  { name: 'copy of the store', rounds: 1, run: copy },
  {
    name: 'deletecollection of 5,000',
    objects: DELETED,
    rounds: 2,
    prepare: ({ server }) => fillNamespace(server, `emptied-${(emptied += 1)}`, DELETED),
    run: ({ server }) => send(server, 'DELETE', `/api/v1/namespaces/emptied-${emptied}/configmaps`),
  },
  {
    name: 'deletion of a namespace of 5,000',
    objects: DELETED,
    rounds: 2,
    prepare: ({ server }) => fillNamespace(server, 'doomed', DELETED),
    run: deleteNamespace,
  },
  {
    name: 'compaction',
    rounds: 1,
    // The history is what one update of each object leaves.
    prepare: async (world) => {
      await compact(world);
      await rewrite(world);
    },
    run: compact,
  },
];

/** Opens a filled file and serves from it to the first answer. The server of the probe is another one. */
export const START: Case = {
  name: 'start on a filled store',
  run: async ({ path }) => {
    const server = serverOver(await openFile(path));
    opened.push(server);
    await server.client().resource(ConfigMap).namespace('default').list({ limit: 1 });
  },
};
const opened: { close(): Promise<void> }[] = [];

/** The cost of a case per object, in microseconds of CPU, and what the probe saw. */
interface Found extends Probed {
  readonly costUs: number;
}

async function measured(one: Case, world: World, other: ServerOfProbe): Promise<Found> {
  const { prepare, rounds = world.objects > ENOUGH ? FEW_ROUNDS : ROUNDS, objects = world.objects } = one;
  const repeats = prepare === undefined && one !== START ? Math.max(1, Math.ceil(ENOUGH / objects)) : 1;
  const work = async (): Promise<void> => {
    for (let repeat = 0; repeat < repeats; repeat += 1) await one.run(world);
  };
  const after = async (): Promise<void> => {
    for (const server of opened.splice(0)) await server.close();
  };
  // The items of a list are kept at its second request: what is measured is a list that is requested again.
  for (let warm = 0; warm < 2 && prepare === undefined; warm += 1) {
    await work();
    // A file cannot be opened twice.
    await after();
  }
  const costs: number[] = [];
  const seen: Probed[] = [];
  const ask = (): Promise<unknown> => send(other, 'GET', `${COLLECTION}/${nameOf(0)}`);
  for (let round = 0; round < rounds; round += 1) {
    await prepare?.(world);
    costs.push((await costOf(work)).cpuUs / repeats / objects);
    await after();
    await prepare?.(world);
    const run = async (): Promise<void> => {
      await one.run(world);
      await after();
    };
    seen.push(await probed(ask, run));
  }
  const of = (value: keyof Probed): number => median(seen.map((one) => one[value]));
  return { costUs: median(costs), waitMs: of('waitMs'), turnMs: of('turnMs'), collectionMs: of('collectionMs') };
}

type ServerOfProbe = World['server'];

const listOf = (name: string, otherwise: readonly string[]): readonly string[] =>
  process.env[name]?.split(',') ?? otherwise;

const turnOf = ({ turnMs, collectionMs }: Probed): string =>
  `${turnMs.toFixed(1)} ms (${collectionMs.toFixed(1)} ms of it garbage collection)`;

/** Measures cases on one server. */
async function measuredWorld(world: World, cases: readonly Case[]): Promise<Map<string, Found>> {
  const found = new Map<string, Found>();
  const look = async (one: Case, other: ServerOfProbe): Promise<void> => {
    const seen = await measured(one, world, other);
    found.set(one.name, seen);
    console.log(
      `${world.engine}, ${world.objects} objects, ${one.name}: ${seen.costUs.toFixed(2)} µs an object, ` +
        `longest wait ${seen.waitMs.toFixed(1)} ms, longest turn ${turnOf(seen)}`,
    );
  };
  for (const one of cases) if (one !== START) await look(one, world.server);
  if (cases.includes(START)) {
    await world.server.close();
    const other = await filledWorld('memory', 1);
    await look(START, other.server);
    await other.close();
  }
  return found;
}

function rowsOf(
  engine: string,
  sizes: readonly number[],
  found: ReadonlyMap<number, ReadonlyMap<string, Found>>,
): Measure[] {
  const [small = 0, large = 0] = [sizes[0], sizes.at(-1)];
  const count = (objects: number): string => objects.toLocaleString('en');
  return [...CASES, START].flatMap(({ name }): Measure[] => {
    const bySize = sizes.map((size) => [size, found.get(size)?.get(name)] as const);
    const waits = bySize.flatMap(([size, one]): Measure[] =>
      one === undefined
        ? []
        : [
            {
              name: `${engine}, ${count(size)} objects, ${name}: longest wait`,
              value: one.waitMs,
              unit: 'ms',
              target: { sense: '<=', value: WAIT_MS },
              detail: `${one.costUs.toFixed(2)} µs CPU an object`,
            },
            {
              name: `${engine}, ${count(size)} objects, ${name}: longest turn`,
              value: one.turnMs,
              unit: 'ms',
              target: { sense: '<=', value: TURN_MS },
              detail: `${one.collectionMs.toFixed(1)} ms of it garbage collection`,
            },
          ],
    );
    const [first, last] = [found.get(small)?.get(name), found.get(large)?.get(name)];
    if (first === undefined || last === undefined || small === large) return waits;
    const growth: Measure = {
      name: `${engine}, ${name}: cost an object, ${count(large)} against ${count(small)}`,
      value: last.costUs / first.costUs,
      unit: '×',
      target: { sense: '<=', value: GROWTH },
    };
    return [...waits, growth];
  });
}

/** Measures the wanted cases among a number of objects. */
async function measuredSize(engine: Engine, size: number, wanted: readonly string[]): Promise<Map<string, Found>> {
  const isWanted = ({ name }: Case): boolean => wanted.some((part) => name.includes(part));
  const cases = [...CASES, ...(engine === 'sqlite' ? [START] : [])].filter(isWanted);
  const shared = cases.filter(({ own }) => own !== true);
  const found = new Map<string, Found>();
  for (const group of [shared, ...cases.filter((one) => one.own === true).map((one) => [one])]) {
    if (group.length === 0) continue;
    const world = await filledWorld(engine, size);
    try {
      for (const [name, one] of await measuredWorld(world, group)) found.set(name, one);
    } finally {
      await world.close();
    }
  }
  return found;
}

/** Requests of large stores, beside a probe. */
export async function large(): Promise<Measure[]> {
  const sizes = listOf('BENCH_SIZES', ['1000', '30000', '150000']).map(Number);
  const engines = listOf('BENCH_ENGINES', ['memory', 'sqlite']);
  const cases = listOf('BENCH_CASES', ['']);
  const rows: Measure[] = [];
  for (const engine of ENGINES) {
    if (!engines.includes(engine)) continue;
    if (!isAvailable(engine)) {
      console.log(`${engine} is not installed: its engine is not measured`);
      continue;
    }
    const found = new Map<number, ReadonlyMap<string, Found>>();
    for (const size of sizes) found.set(size, await measuredSize(engine, size, cases));
    rows.push(...rowsOf(engine, sizes, found));
  }
  return rows;
}
