/**
 * A controller and an informer over HTTP, beside the informer of `@kubernetes/client-node`, each in a process of its own:
 * the delay from the sending of a change to its reconciliation, the CPU time of a change and the memory, at a given rate of
 * changes; and the first list of a large collection.
 *
 * `BENCH_OBJECTS=1000`, `BENCH_LISTED=10000` and `BENCH_SECONDS=2` shorten a run.
 *
 * @module
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnections, startServer, type BenchServer } from './load.js';
import type { Measure } from './measure.js';
import { bytesOf, COLLECTION } from './requests.js';

const OBJECTS = Number(process.env['BENCH_OBJECTS'] ?? 10_000);
const LISTED = Number(process.env['BENCH_LISTED'] ?? 100_000);
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 10);
const PER_SECOND = 1000;
/** Changes that are sent together. */
const BATCH = 20;
const CONNECTIONS = 8;

const WAYS = ['controller', 'informer', 'client-node'] as const;
type Way = (typeof WAYS)[number];

/** Delays and costs of a process since its last report. */
interface Report {
  readonly readyMs: number;
  readonly delays: readonly number[];
  readonly cpuUs: number;
  readonly heapBytes: number;
}

/** A process that follows the collection. */
class Follower {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(way: Way, { port }: BenchServer, count: number): Promise<Follower> {
    const child = fork(
      new URL('servers/follower.mjs', import.meta.url),
      [way, `http://127.0.0.1:${port}`, String(count)],
      { execArgv: ['--expose-gc'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    );
    await once(child, 'message');
    return new Follower(child);
  }

  async report(): Promise<Report> {
    const answer = once(this.#child, 'message');
    this.#child.send({});
    const [report] = (await answer) as [Report];
    return report;
  }

  stop(): void {
    this.#child.kill();
  }
}

/** Changes one object after the other, at the rate. @returns the rate that was reached */
async function change({ port }: BenchServer): Promise<number> {
  const connections = await openConnections(port, CONNECTIONS);
  const total = PER_SECOND * SECONDS;
  const startMs = performance.now();
  for (let sent = 0; sent < total; sent += BATCH) {
    const requests = Array.from({ length: BATCH }, (_, index) =>
      bytesOf({
        method: 'PATCH',
        path: `${COLLECTION}/object-${String((sent + index) % OBJECTS).padStart(6, '0')}`,
        contentType: 'application/merge-patch+json',
        body: { data: { sent: String(performance.timeOrigin + performance.now()) } },
      }),
    );
    await connections.send(requests);
    const aheadMs = startMs + ((sent + BATCH) * 1000) / PER_SECOND - performance.now();
    if (aheadMs > 1) await sleep(aheadMs);
  }
  connections.close();
  return total / ((performance.now() - startMs) / 1000);
}

const quantile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;

const measure = (name: string, value: number, unit: string, detail?: string): Measure => ({
  ...{ name: `controllers: ${name}`, value, unit, target: undefined },
  ...(detail === undefined ? {} : { detail }),
});

/** Follows changes at the rate. */
async function followed(way: Way): Promise<Measure[]> {
  const server = await startServer('api.mjs', String(OBJECTS));
  const follower = await Follower.start(way, server, OBJECTS);
  await follower.report();
  const rate = await change(server);
  await sleep(1000);
  const { delays, cpuUs, heapBytes } = await follower.report();
  follower.stop();
  server.stop();
  const sorted = [...delays].sort((a, b) => a - b);
  const seen = `${sorted.length} of ${PER_SECOND * SECONDS} changes seen, ${Math.round(rate)} sent a second`;
  return [
    measure(`${way}, delay of half of the changes`, quantile(sorted, 0.5), 'ms', seen),
    measure(`${way}, delay of 99 of 100 changes`, quantile(sorted, 0.99), 'ms'),
    measure(`${way}, CPU time of a change`, cpuUs / Math.max(1, sorted.length), 'µs'),
    measure(`${way}, memory with ${OBJECTS} objects`, heapBytes / 1024 / 1024, 'MB'),
  ];
}

/** Lists a large collection. */
async function listed(): Promise<Measure[]> {
  const server = await startServer('api.mjs', String(LISTED));
  const measures: Measure[] = [];
  for (const way of ['informer', 'client-node'] as const) {
    const follower = await Follower.start(way, server, LISTED);
    const { readyMs, cpuUs, heapBytes } = await follower.report();
    measures.push(
      measure(`${way}, first list of ${LISTED} objects`, readyMs / 1000, 's', `${Math.round(cpuUs / 1000)} ms of CPU`),
      measure(`${way}, memory with ${LISTED} objects`, heapBytes / 1024 / 1024, 'MB'),
    );
    follower.stop();
  }
  server.stop();
  return measures;
}

/** Measures a controller and an informer beside client-node's. */
export async function controllers(): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const way of WAYS) measures.push(...(await followed(way)));
  measures.push(...(await listed()));
  return measures;
}
