import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasEtcd, startEtcd } from './etcd-process.js';
import { load, startServer, type BenchServer } from './load.js';
import { median, type Cost, type Measure } from './measure.js';

const OBJECTS = 5_000;
const ROUNDS = 7;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** A request of the table. */
interface Request {
  readonly name: string;
  readonly path: string;
  /** Number of requests in a round. */
  readonly count: number;
  readonly connections: number;
  /** Target of etcd: at most this many times the time in memory. */
  readonly target?: number;
}

const REQUESTS: readonly Request[] = [
  { name: 'GET', path: `${CONFIG_MAPS}/object-000007`, count: 400, connections: 1 },
  { name: 'GET of one object, 32 at a time', path: `${CONFIG_MAPS}/object-000007`, count: 4_000, connections: 32 },
  { name: 'page of 500', path: `${CONFIG_MAPS}?limit=500`, count: 40, connections: 1, target: 3 },
  { name: 'list of 5,000', path: CONFIG_MAPS, count: 12, connections: 1, target: 3 },
  {
    name: '1 in 100 of 5,000 by a label',
    path: `${CONFIG_MAPS}?labelSelector=selected%3Dyes`,
    count: 12,
    connections: 1,
    target: 3,
  },
];

async function costOf(server: BenchServer, { path, count, connections }: Request): Promise<Cost> {
  const cpu = await server.cpuUs();
  const start = performance.now();
  await load(server.port, path, count, connections);
  const wallUs = (performance.now() - start) * 1000;
  return { wallUs: wallUs / count, cpuUs: ((await server.cpuUs()) - cpu) / count };
}

/** Asks the servers in turn, so that a slower machine affects all of them equally; returns the median costs. */
async function compare<Engine extends string>(
  servers: Readonly<Record<Engine, BenchServer>>,
  request: Request,
): Promise<Record<Engine, Cost>> {
  const engines = Object.keys(servers) as Engine[];
  const costs = Object.fromEntries(engines.map((engine) => [engine, [] as Cost[]])) as Record<Engine, Cost[]>;
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const engine of engines) {
      const cost = await costOf(servers[engine], request);
      // The first round warms up.
      if (round > 0) costs[engine].push(cost);
    }
  }
  const middle = (engine: Engine, part: keyof Cost): number => median(costs[engine].map((cost) => cost[part]));
  return Object.fromEntries(
    engines.map((engine) => [engine, { wallUs: middle(engine, 'wallUs'), cpuUs: middle(engine, 'cpuUs') }]),
  ) as Record<Engine, Cost>;
}

const each = ({ wallUs, cpuUs }: Cost): string => `${wallUs.toFixed(0)} µs (server CPU ${cpuUs.toFixed(0)} µs)`;

function measures({ name, target }: Request, costs: Readonly<Partial<Record<string, Cost>>>): Measure[] {
  const { memory, ...others } = costs;
  if (memory === undefined) throw new Error('memory was not measured');
  return Object.entries(others).flatMap(([engine, cost]) =>
    cost === undefined
      ? []
      : {
          name: `reads: ${name}, ${engine} over memory`,
          value: cost.wallUs / memory.wallUs,
          unit: '×',
          target: engine === 'etcd' && target !== undefined ? { sense: '<=', value: target } : undefined,
          detail: `${each(cost)} against ${each(memory)}`,
        },
  );
}

/** Requests that read, over HTTP, on each engine beside the memory engine. */
export async function reads(): Promise<Measure[]> {
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'));
  const etcd = hasEtcd() ? await startEtcd() : undefined;
  if (etcd === undefined) console.log('etcd is not installed: its reads are not measured');
  const start = (engine: string, place: string): Promise<BenchServer> =>
    startServer('engine.mjs', engine, place, String(OBJECTS));
  const servers: Record<string, BenchServer> = {
    memory: await start('memory', ''),
    sqlite: await start('sqlite', join(directory, 'store.db')),
    ...(etcd === undefined ? {} : { etcd: await start('etcd', etcd.url) }),
  };
  try {
    const rows: Measure[] = [];
    for (const request of REQUESTS) rows.push(...measures(request, await compare(servers, request)));
    return rows;
  } finally {
    for (const server of Object.values(servers)) server.stop();
    await etcd?.stop();
    rmSync(directory, { recursive: true });
  }
}
