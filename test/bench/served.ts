/**
 * The program as it is started (`serve` with its defaults, over a token whose user has rights by a role), against a bare
 * server that reads the same requests and answers the same bytes: CPU time of the processes, over HTTP and HTTPS, on each
 * engine, with 1, 16 and 64 requests in flight.
 *
 * `BENCH_ENGINES=memory`, `BENCH_PROTOCOLS=http`, `BENCH_FLIGHTS=1,16`, `BENCH_ROUNDS=1` and `BENCH_CASES=GET,PUT` (parts
 * of the titles) shorten a run.
 *
 * @module
 */
import { connect as connectSecure } from 'node:tls';
import { hasEtcd, startEtcd } from './etcd-process.js';
import { openConnections, startServer, type BenchServer, type Connections, type Open } from './load.js';
import { median, type Measure } from './measure.js';
import { bytesOf, COLLECTION, configMap, OBJECTS, subject, verbs, type BenchRequest } from './requests.js';
import { startProgram, type Served } from './served-program.js';
import { costOfEvent, WATCHERS } from './watchers.js';

const listOf = (name: string, otherwise: readonly string[]): readonly string[] =>
  process.env[name]?.split(',') ?? otherwise;

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 7);
const FLIGHTS = listOf('BENCH_FLIGHTS', ['1', '16', '64']).map(Number);
const ENGINES = listOf('BENCH_ENGINES', ['memory', 'sqlite', 'etcd']);
const PROTOCOLS = listOf('BENCH_PROTOCOLS', ['http', 'https']);
const CASES = listOf('BENCH_CASES', ['']);

/** One object in ten has the label that a list selects. */
const SELECTED = 10;
/** In flight while the code is run for the first times. */
const WARMING = 16;
/** Changes of the watched object in a round. */
const CHANGES = 200;
const EVENT = 'watch event';

/** An operation, with its targets: CPU time over the raw floor, with several requests in flight and with one at a time. */
interface Operation {
  readonly title: string;
  readonly many?: number | undefined;
  readonly one?: number | undefined;
  /** Number of requests of a round. */
  readonly requests: number;
  /** Number of requests while the code is run for the first times; that of a round by default. */
  readonly warmUp?: number | undefined;
  /** Status of the answer. */
  readonly status: number;
  /** The title of the operation on all objects, of which this one concerns a single object. */
  readonly ofOne?: string | undefined;
  request(index: number): BenchRequest;
}

/** A list. It takes twice as long until some hundreds have been answered. */
const list = (title: string, query: string, many: number): Operation => ({
  ...{ title, many, requests: 60, warmUp: 600, status: 200 },
  request: () => ({ method: 'GET', path: `${COLLECTION}?${query}` }),
});

const TARGETS: Readonly<Record<string, Pick<Operation, 'many' | 'one'>>> = {
  POST: { many: 1.8, one: 2.5 },
  PUT: { many: 2.5 },
  'merge patch': { many: 2.5 },
  apply: { many: 2.5 },
  'access review': { many: 1.5 },
  DELETE: { many: 2.5 },
};

/** At most so much more than those of as many objects. */
const OF_ONE = 1.2;

const ofOne = (title: string): readonly Operation[] =>
  verbs
    .filter((verb) => verb.title === title)
    .map((verb) => {
      const request = (index: number): BenchRequest => ({
        ...verb.request(0),
        ...(verb.title === 'merge patch'
          ? { body: { data: { mode: `patched-${index}` } } }
          : { body: configMap(subject(0), index) }),
      });
      return { ...verb, request, title: `${title} of one object`, requests: 1_000, ofOne: title };
    });

const operations: readonly Operation[] = [
  {
    ...{ title: 'GET', many: 1.3, one: 1.4, requests: 2_000, status: 200 },
    request: (index: number) => ({ method: 'GET', path: `${COLLECTION}/${subject(index)}` }),
  },
  list('list of 500', 'limit=500', 1.3),
  list('list of 500 at version 0', 'limit=500&resourceVersion=0', 1.3),
  list('list of 100 of 1,000 by label', 'labelSelector=selected%3Dyes', 2),
  ...verbs.map((verb) => ({ ...verb, ...TARGETS[verb.title], requests: 1_000 })),
  ...['PUT', 'merge patch', 'apply'].flatMap(ofOne),
].filter(({ title }) => isWanted(title));

function isWanted(title: string): boolean {
  return CASES.some((part) => title.includes(part));
}

/** The program and the bare server beside it, over one protocol. */
interface Pair {
  readonly api: BenchServer;
  readonly raw: BenchServer;
  readonly open: Open | undefined;
}

/** Numbers of the next requests, by the title of the operation. */
type Numbers = Map<string, number>;

/** The path of an operation at the bare server. */
const rawPath = ({ title }: Operation): string => `/${encodeURIComponent(title)}`;

/** The next requests of an operation, for both servers. */
function next(
  operation: Operation,
  count: number,
  numbers: Numbers,
): { readonly api: readonly Buffer[]; readonly raw: readonly Buffer[] } {
  const from = numbers.get(operation.title) ?? 1;
  numbers.set(operation.title, from + count);
  const made = Array.from({ length: count }, (_, index) => operation.request(from + index));
  const path = rawPath(operation);
  return { api: made.map(bytesOf), raw: made.map((request) => bytesOf({ ...request, path })) };
}

async function cost(server: BenchServer, connections: Connections, requests: readonly Buffer[]): Promise<number> {
  const before = await server.cpuUs();
  await connections.send(requests);
  return ((await server.cpuUs()) - before) / requests.length;
}

/** CPU time of a request in microseconds: of the program, and of the floor. */
interface Costs {
  readonly api: number;
  readonly raw: number;
}

/** Measures an operation in alternating rounds, over connections that are open. */
async function measured(
  { api, raw }: Pair,
  connections: { readonly api: Connections; readonly raw: Connections },
  operation: Operation,
  count: number,
  numbers: Numbers,
): Promise<Costs> {
  const samples = { api: [] as number[], raw: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const requests = next(operation, count, numbers);
    const ofApi = await cost(api, connections.api, requests.api);
    const ofRaw = await cost(raw, connections.raw, requests.raw);
    // The first round warms up.
    if (round === 0) continue;
    samples.api.push(ofApi);
    samples.raw.push(ofRaw);
  }
  return { api: median(samples.api), raw: median(samples.raw) };
}

/** Measures all operations over one protocol, with so many requests in flight. */
async function atFlight(where: string, pair: Pair, flight: number, numbers: Numbers): Promise<Measure[]> {
  const connections = {
    api: await openConnections(pair.api.port, flight, pair.open),
    raw: await openConnections(pair.raw.port, flight, pair.open),
  };
  const costs = new Map<string, Costs>();
  const measures: Measure[] = [];
  for (const operation of operations) {
    const { title, requests, one, many } = operation;
    // One at a time, waiting for each answer, takes longer.
    const count = Math.ceil(requests / (flight === 1 ? 4 : 1));
    const { api, raw } = await measured(pair, connections, operation, count, numbers);
    costs.set(title, { api, raw });
    const name = `serve, ${where}, ${flight} in flight: ${title}`;
    const target = flight === 1 ? one : many;
    const detail = `CPU of the process ${api.toFixed(0)} µs against ${raw.toFixed(0)} µs`;
    measures.push({ ...measureOf(`${name}, CPU over the raw floor`, api / raw, target), detail });
    const ofMany = operation.ofOne === undefined ? undefined : costs.get(operation.ofOne);
    if (ofMany !== undefined && flight > 1)
      measures.push(measureOf(`${name}, over that of many objects`, api / ofMany.api, OF_ONE));
  }
  connections.api.close();
  connections.raw.close();
  return measures;
}

const measureOf = (name: string, value: number, target: number | undefined): Measure => ({
  ...{ name, value, unit: '×' },
  target: target === undefined ? undefined : { sense: '<=', value: target },
});

async function eventMeasure(where: string, program: Served, raw: BenchServer): Promise<Measure> {
  const each = await costOfEvent(program.http, raw, { rounds: ROUNDS, changes: CHANGES, ask: program.ask });
  return {
    ...measureOf(`serve, ${where}: ${EVENT}, CPU over the raw floor`, each.api / each.raw, 1.3),
    detail: `${WATCHERS} watchers; CPU of the process ${each.api.toFixed(1)} µs against ${each.raw.toFixed(1)} µs`,
  };
}

async function fill({ ask }: Served): Promise<void> {
  for (let index = 0; index < OBJECTS; index += 1) {
    const object = configMap(subject(index), 0) as { metadata: { labels: Record<string, string> } };
    const labels = { ...object.metadata.labels, ...(index % SELECTED === 0 ? { selected: 'yes' } : {}) };
    const body = { ...object, metadata: { ...object.metadata, labels } };
    await ask({ method: 'POST', path: COLLECTION, body });
  }
}

/** Lets the bare servers answer as the program does, and lets all of them run the code of the operations. */
async function prepare(program: Served, pairs: readonly Pair[], numbers: Numbers): Promise<void> {
  for (const operation of operations) {
    const request = operation.request(0);
    const answer = {
      ...{ method: request.method, path: rawPath(operation), status: operation.status },
      text: await program.ask(request),
    };
    for (const { raw } of pairs) raw.process.send({ answer });
  }
  for (const { api, raw, open } of pairs) {
    const connections = [
      await openConnections(api.port, WARMING, open),
      await openConnections(raw.port, WARMING, open),
    ];
    for (const operation of operations) {
      const requests = next(operation, operation.warmUp ?? operation.requests, numbers);
      await connections[0]?.send(requests.api);
      await connections[1]?.send(requests.raw);
    }
    for (const opened of connections) opened.close();
  }
}

/** The measures of the program on one engine. */
async function onEngine(engine: string, flagsIn: (directory: string) => readonly string[]): Promise<Measure[]> {
  const program = await startProgram(flagsIn);
  const raw = { http: await startServer('raw.mjs'), https: await startServer('raw.mjs', ...program.certificate) };
  const openSecure: Open = (port) =>
    connectSecure({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  const pairs: readonly [string, Pair][] = [
    ['http', { api: program.http, raw: raw.http, open: undefined }],
    ['https', { api: program.https, raw: raw.https, open: openSecure }],
  ];
  const wanted = pairs.filter(([protocol]) => PROTOCOLS.includes(protocol));
  const measures: Measure[] = [];
  const numbers: Numbers = new Map();
  try {
    await fill(program);
    await prepare(
      program,
      wanted.map(([, pair]) => pair),
      numbers,
    );
    for (const [protocol, pair] of wanted)
      for (const flight of FLIGHTS) measures.push(...(await atFlight(`${engine}, ${protocol}`, pair, flight, numbers)));
    if (isWanted(EVENT)) measures.push(await eventMeasure(`${engine}, http`, program, raw.http));
  } finally {
    program.stop();
    raw.http.stop();
    raw.https.stop();
  }
  return measures;
}

/** Measures the program on the engines that are installed. */
export async function served(): Promise<Measure[]> {
  const measures: Measure[] = [];
  if (ENGINES.includes('memory')) measures.push(...(await onEngine('memory', () => ['--storage=memory'])));
  if (ENGINES.includes('sqlite'))
    measures.push(...(await onEngine('sqlite', (directory) => ['--storage=sqlite', `--data-dir=${directory}/data`])));
  if (!ENGINES.includes('etcd') || !hasEtcd()) return measures;
  const etcd = await startEtcd();
  try {
    measures.push(...(await onEngine('etcd', () => ['--storage=etcd', `--etcd-servers=${etcd.url}`])));
  } finally {
    await etcd.stop();
  }
  return measures;
}
