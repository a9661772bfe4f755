import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect as connectSecure } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { hasEtcd, startEtcd } from './etcd-process.js';
import { loadRequests, startServer, type BenchServer, type Open } from './load.js';
import { median, type Measure } from './measure.js';
import { bytesOf, COLLECTION, configMap, OBJECTS, subject, verbs, type BenchRequest } from './requests.js';

const ROUNDS = 7;
const FLIGHTS = [1, 16, 64] as const;
const TOKEN = 'bench';
/** One object in ten has the label that a list selects. */
const SELECTED = 10;

/** The program as it is started, and the bare server beside it, over one protocol. */
interface Pair {
  readonly api: BenchServer;
  readonly raw: BenchServer;
  readonly open: Open | undefined;
}

/** An operation, with its target: CPU time over the raw floor, with several requests in flight and with one at a time. */
interface Operation {
  readonly title: string;
  readonly targets: { readonly many: number; readonly one?: number };
  /** Number of requests of a round. */
  readonly requests: number;
  readonly status: number;
  request(index: number): BenchRequest;
}

const list = (title: string, query: string, target: number): Operation => ({
  ...{ title, targets: { many: target }, requests: 60, status: 200 },
  request: () => ({ method: 'GET', path: `${COLLECTION}?${query}` }),
});

const TARGETS: Readonly<Record<string, Operation['targets']>> = {
  POST: { many: 1.8, one: 2.5 },
  PUT: { many: 2.5 },
  'merge patch': { many: 2.5 },
  apply: { many: 2.5 },
  'access review': { many: 1.5 },
  DELETE: { many: 2.5 },
};

const operations: readonly Operation[] = [
  {
    ...{ title: 'GET', targets: { many: 1.3, one: 1.4 }, requests: 2_000, status: 200 },
    request: (index) => ({ method: 'GET', path: `${COLLECTION}/${subject(index)}` }),
  },
  list('list of 500', 'limit=500', 1.3),
  list('list of 500 at version 0', 'limit=500&resourceVersion=0', 1.3),
  list('list of 100 of 1,000 by label', 'labelSelector=selected%3Dyes', 2),
  ...verbs.map(({ title, status, request }) => ({
    ...{ title, status, request, requests: 1_000 },
    targets: TARGETS[title] ?? { many: Infinity },
  })),
  {
    ...{ title: 'PUT of one object', targets: { many: Infinity }, requests: 1_000, status: 200 },
    request: (index) => ({ method: 'PUT', path: `${COLLECTION}/${subject(0)}`, body: configMap(subject(0), index) }),
  },
];

/** CPU time of all threads of a process, in microseconds (Linux). */
function cpuUsOf(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
  return nanoseconds / 1000;
}

/** The program, with the files of its certificate. */
interface Served {
  readonly http: BenchServer;
  readonly https: BenchServer;
  readonly certificate: readonly [key: string, certificate: string];
  stop(): void;
}

/** Starts `orch-apiserver serve` with its defaults on an engine. @param flagsIn its flags, with a directory of its own */
async function startProgram(flagsIn: (directory: string) => readonly string[]): Promise<Served> {
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const directory = mkdtempSync(join(tmpdir(), 'orch-bench-'));
  writeFileSync(join(directory, 'tokens'), `${TOKEN},bench,bench,system:masters\n`);
  const child = spawn(
    process.execPath,
    [
      ...[main, 'serve', '--dialect=kubernetes', '--secure-port=auto', '--insecure-loopback-port=auto'],
      ...['--log-format=json', `--cert-dir=${directory}`, `--kubeconfig-out=${directory}/kubeconfig`],
      ...[`--token-auth-file=${directory}/tokens`, ...flagsIn(directory)],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const urls = await new Promise<readonly string[]>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}`)));
    createInterface(child.stderr).on('line', (line) => {
      if (line.includes('"message":"serving"')) resolve((JSON.parse(line) as { urls: string[] }).urls);
    });
  });
  const stop = (): void => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  };
  const at = (scheme: string): BenchServer => ({
    port: Number(new URL(urls.find((url) => url.startsWith(scheme)) ?? '').port),
    process: child,
    cpuUs: async () => cpuUsOf(child.pid ?? 0),
    stop,
  });
  return {
    ...{ http: at('http:'), https: at('https:'), stop },
    certificate: [join(directory, 'apiserver.key'), join(directory, 'apiserver.crt')],
  };
}

/** Sends one request over HTTP and returns the body of the answer. */
async function answerOf({ port }: BenchServer, { method, path, contentType, body }: BenchRequest): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'accept-encoding': 'identity',
      ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
  return text;
}

async function fill(server: BenchServer): Promise<void> {
  for (let index = 0; index < OBJECTS; index += 1) {
    const object = configMap(subject(index), 0) as { metadata: { labels: Record<string, string> } };
    const labels = { ...object.metadata.labels, ...(index % SELECTED === 0 ? { selected: 'yes' } : {}) };
    const body = { ...object, metadata: { ...object.metadata, labels } };
    await answerOf(server, { method: 'POST', path: COLLECTION, body });
  }
}

async function cost({ cpuUs, port }: BenchServer, requests: readonly Buffer[], flight: number, open: Open | undefined) {
  const before = await cpuUs();
  await loadRequests(port, requests, flight, open);
  return ((await cpuUs()) - before) / requests.length;
}

/** Measures an operation in alternating rounds. @returns CPU time of a request in microseconds: of the program, and of the floor */
async function measured(
  { api, raw, open }: Pair,
  operation: Operation,
  flight: number,
  numbers: { next: number },
): Promise<{ api: number; raw: number }> {
  const samples = { api: [] as number[], raw: [] as number[] };
  // One at a time, waiting for each answer, takes longer.
  const count = Math.ceil(operation.requests / (flight === 1 ? 4 : 1));
  for (let round = 0; round <= ROUNDS; round += 1) {
    const made = Array.from({ length: count }, (_, index) => operation.request(numbers.next + index));
    numbers.next += count;
    const ofApi = await cost(api, made.map(bytesOf), flight, open);
    const path = `/${encodeURIComponent(operation.title)}`;
    const ofRaw = await cost(
      raw,
      made.map((request) => bytesOf({ ...request, path })),
      flight,
      open,
    );
    if (round === 0) continue;
    samples.api.push(ofApi);
    samples.raw.push(ofRaw);
  }
  return { api: median(samples.api), raw: median(samples.raw) };
}

/** Lets the bare server answer an operation with the bytes of the program. */
async function teach(pairs: readonly Pair[], api: BenchServer, operation: Operation, index: number): Promise<void> {
  const request = operation.request(index);
  const answer = {
    ...{ method: request.method, path: `/${encodeURIComponent(operation.title)}`, status: operation.status },
    text: await answerOf(api, request),
  };
  for (const { raw } of pairs) raw.process.send({ answer });
}

/** The measures of the program on one engine. */
async function onEngine(engine: string, flagsIn: (directory: string) => readonly string[]): Promise<Measure[]> {
  const program = await startProgram(flagsIn);
  const [raw, rawSecure] = [await startServer('raw.mjs'), await startServer('raw.mjs', ...program.certificate)];
  const open: Open = (port) =>
    connectSecure({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
  const pairs: Readonly<Record<string, Pair>> = {
    http: { api: program.http, raw, open: undefined },
    https: { api: program.https, raw: rawSecure, open },
  };
  const measures: Measure[] = [];
  try {
    await fill(program.http);
    const numbers = Object.fromEntries(operations.map(({ title }) => [title, { next: 1 }]));
    for (const operation of operations) await teach(Object.values(pairs), program.http, operation, 0);
    for (const [protocol, pair] of Object.entries(pairs))
      for (const flight of FLIGHTS)
        for (const operation of operations) {
          const { api, raw: floor } = await measured(pair, operation, flight, numbers[operation.title] ?? { next: 1 });
          const target = flight === 1 ? operation.targets.one : operation.targets.many;
          measures.push({
            name: `serve, ${engine}, ${protocol}, ${flight} in flight: ${operation.title}, CPU over the raw floor`,
            value: api / floor,
            unit: '×',
            target: target === undefined || target === Infinity ? undefined : { sense: '<=', value: target },
            detail: `CPU of the process ${api.toFixed(0)} µs against ${floor.toFixed(0)} µs`,
          });
        }
  } finally {
    program.stop();
    raw.stop();
    rawSecure.stop();
  }
  return measures;
}

/**
 * The program as it is started (`serve` with its defaults, over a token), against a bare server that reads the same
 * requests and answers the same bytes: CPU time of the processes, over HTTP and HTTPS, on each engine.
 */
export async function served(): Promise<Measure[]> {
  const measures = [
    ...(await onEngine('memory', () => ['--storage=memory'])),
    ...(await onEngine('sqlite', (directory) => ['--storage=sqlite', `--data-dir=${directory}/data`])),
  ];
  if (!hasEtcd()) return measures;
  const etcd = await startEtcd();
  try {
    return [...measures, ...(await onEngine('etcd', () => ['--storage=etcd', `--etcd-servers=${etcd.url}`]))];
  } finally {
    await etcd.stop();
  }
}
