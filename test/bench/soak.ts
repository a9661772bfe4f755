/**
 * Whether a server stays the same however long it runs: objects are created, updated and deleted at a steady rate, with
 * bursts of 200,000 writes a minute, beside 500 watchers, of which some never read. `npm run test:soak` takes 20 minutes;
 * `SOAK_MINUTES=2` shortens it. On a machine that is too slow for the bursts, the writer waits for the readers.
 *
 * `SOAK_READERS=20` leaves fewer watchers that read, so that the events do not bound the writes, and
 * `SOAK_WRITES_A_MINUTE=200000` sets the rate between the bursts.
 *
 * The exit code is 1 when the heap after a collection has grown from the first third of the time to the last by more
 * than the tolerance, when a reader missed events, or when a slow watcher was not ended.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiServer, ConfigMap, Namespace } from 'orch-apiserver';
import { listen, type Listener } from 'orch-apiserver/node';
import { median } from './measure.js';

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? '20');
const WRITES_A_SECOND = Number(process.env['SOAK_WRITES_A_MINUTE'] ?? '12000') / 60;
/** A burst begins in each period, and writes this often. The rate of a minute would be 200,000. */
const BURST = { everyMs: 30_000, lastsMs: 10_000, writesASecond: 200_000 / 60 };
const NAMESPACES = 10;
const NAMES = 100;
const TEXT = 'x'.repeat(2_000);
const READING = Number(process.env['SOAK_READERS'] ?? '450');
/** Watchers that read: a ninth of them watches all namespaces, the others one each. */
const READERS = { namespaced: READING - Math.round(READING / 9), all: Math.round(READING / 9) };
/** Watchers that do not read: in the process, and over HTTP. */
const SLOW = { inProcess: 25, http: 25 };
/** Small, so that it is full long before the first third of the time has passed. */
const HISTORY_BYTES = 8 << 20;
/** Time after which the server ends a connection that is not read, in milliseconds. */
const WRITE_MS = 10_000;
/** Number of writes that the readers may be behind. The writer then waits for them. */
const MAX_LAG = 200;
/** Events of a write that are read. */
const READ_PER_WRITE = READERS.all + READERS.namespaced / NAMESPACES;
const TICK_MS = 20;
const SAMPLE_MS = 5_000;
const REPORT_MS = 60_000;
/** Allowed growth of the heap: a share, and bytes for what the host itself keeps. */
const TOLERANCE = { share: 0.05, bytes: 4 << 20 };
const MIB = 1 << 20;
const EXPIRED = 410;

const server = new ApiServer({
  limits: { historyBytes: HISTORY_BYTES },
  authentication: { tokens: [{ token: 'soak', user: { username: 'soak', groups: ['system:masters'] } }] },
});
const maps = (namespace: string) => server.client().resource(ConfigMap).namespace(namespace);
const namespaceOf = (number: number): string => `space-${number % NAMESPACES}`;

function heapBytes(): number {
  if (globalThis.gc === undefined) throw new Error('run with --expose-gc');
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const stop = new AbortController();
let delivered = 0;
let restarts = 0;

/** Reads a watch as fast as it delivers. A reader that keeps up is never expired. */
async function follow(namespace: string): Promise<void> {
  while (!stop.signal.aborted) {
    for await (const { type } of maps(namespace).watch({ signal: stop.signal })) {
      delivered += 1;
      if (type === 'ERROR') restarts += 1;
    }
  }
}

/** Opens a watch over HTTP and reads nothing after the head of its answer. */
async function openUnread({ address: { port } }: Listener): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET /api/v1/configmaps?watch=true HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer soak\r\n\r\n');
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  if (!head.includes('200 OK')) throw new Error(`the watch was refused: ${head.toString()}`);
  return socket;
}

/** One write: each name is created, updated several times, and deleted. */
async function write(number: number): Promise<void> {
  const client = maps(namespaceOf(number));
  const round = Math.floor(number / (NAMESPACES * NAMES));
  const name = `map-${Math.floor(number / NAMESPACES) % NAMES}`;
  const object = { metadata: { name }, data: { text: TEXT, number: String(number) } };
  if (round % 4 === 0) await client.create(object);
  else if (round % 4 === 3) await client.delete(name);
  else await client.update(object);
}

interface Sample {
  readonly at: number;
  readonly bytes: number;
}

const typical = (samples: readonly Sample[]): number => median(samples.map(({ bytes }) => bytes));

for (let number = 0; number < NAMESPACES; number += 1)
  await server
    .client()
    .resource(Namespace)
    .create({ metadata: { name: namespaceOf(number) } });
const listener = await listen(server, { port: 0, timeouts: { write: WRITE_MS } });
const following = [
  ...Array.from({ length: READERS.namespaced }, (_, number) => follow(namespaceOf(number))),
  ...Array.from({ length: READERS.all }, () => follow('')),
];
const idle = Array.from({ length: SLOW.inProcess }, () => maps('').watch());
/** The first event opens the watch. */
const opened = idle.map((watch) => watch.next());
const unread = await Promise.all(Array.from({ length: SLOW.http }, () => openUnread(listener)));

const durationMs = MINUTES * 60_000;
const start = performance.now();
const samples: Sample[] = [];
let written = 0;
let [due, sampled, reported, before] = [0, 0, 0, 0];
const burst = { writes: 0, ms: 0 };
for (let elapsed = 0; elapsed < durationMs; elapsed = performance.now() - start) {
  const inBurst = elapsed % BURST.everyMs < BURST.lastsMs;
  const rate = inBurst ? BURST.writesASecond : WRITES_A_SECOND;
  // Writes that a slow machine has missed are not made up for.
  due = Math.min(due + ((elapsed - before) / 1000) * rate, written + rate);
  if (inBurst) burst.ms += elapsed - before;
  before = elapsed;
  while (written < Math.floor(due) && delivered > (written - MAX_LAG) * READ_PER_WRITE) {
    await write((written += 1) - 1);
    if (inBurst) burst.writes += 1;
  }
  if (elapsed - sampled >= SAMPLE_MS) {
    sampled = elapsed;
    samples.push({ at: elapsed, bytes: heapBytes() });
  }
  if (elapsed - reported >= REPORT_MS) {
    reported = elapsed;
    const heap = Math.round((samples.at(-1)?.bytes ?? 0) / MIB);
    console.log(
      `${Math.round(elapsed / 60_000)} min: ${written} writes, ${delivered} events read, heap ${heap} MB, ${listener.connections} of ${SLOW.http} unread connections open`,
    );
  }
  await sleep(TICK_MS);
}

const failures: string[] = [];
const third = durationMs / 3;
const first = typical(samples.filter(({ at }) => at <= third));
const last = typical(samples.filter(({ at }) => at > 2 * third));
const allowed = first * (1 + TOLERANCE.share) + TOLERANCE.bytes;
if (!(last <= allowed)) failures.push(`the heap grew beyond ${Math.round(allowed / MIB)} MB`);
if (restarts > 0) failures.push(`${restarts} watches that were read expired`);
if (delivered < written * READERS.all) failures.push(`only ${delivered} events were read`);
if (listener.connections > 0) failures.push(`${listener.connections} unread connections are still open`);
await Promise.all(opened);
let expired = 0;
for (const watch of idle) {
  for await (const { type, object } of watch)
    if (type === 'ERROR' && 'code' in object && object.code === EXPIRED) expired += 1;
    else failures.push(`a slow watcher got ${type} after ${written} writes`);
}
if (expired < SLOW.inProcess) failures.push(`${SLOW.inProcess - expired} slow watchers were not expired`);

stop.abort();
await Promise.all(following);
for (const socket of unread) socket.destroy();
await listener.close({ grace: 0 });
await server.close();
console.log(
  `${written} writes; in bursts ${Math.round((burst.writes / burst.ms) * 60_000)} a minute (at most ${Math.round(BURST.writesASecond * 60)})`,
);
console.log(
  `heap ${(first / MIB).toFixed(1)} MB in the first third, ${(last / MIB).toFixed(1)} MB in the last (at most ${(allowed / MIB).toFixed(1)}); ${expired} of ${SLOW.inProcess} slow watchers expired`,
);
for (const failure of failures) console.log(`FAILED: ${failure}`);
console.log(failures.length === 0 ? 'passed' : 'not passed');
process.exitCode = failures.length === 0 ? 0 : 1;
