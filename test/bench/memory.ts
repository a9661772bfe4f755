/**
 * Whether a server survives in a small heap, however much is written: repeated updates of a few objects, with a watcher
 * that reads and one that never does. `npm run test:memory` runs it for ten minutes in a heap of 512 MB.
 *
 * Options: `--seconds`, `--updates` (whichever is reached first ends it), `--objects`, `--bytes` (of each object),
 * `--engine` (`memory`, `sqlite`) and `--limit-mb`, the maximum heap use. The exit code is 1 if it was exceeded.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ApiServer, ConfigMap, systemClock } from 'orch-apiserver';
import { createMemoryStorage } from 'orch-apiserver/storage/memory';
import { openSqliteStorage } from 'orch-apiserver/storage/sqlite';
import type { Storage } from 'orch-apiserver/storage';

const MIB = 1024 * 1024;
/** Concurrent updates. */
const WRITERS = 32;
const REPORT_MS = 15_000;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    updates: { type: 'string', default: 'Infinity' },
    objects: { type: 'string', default: '500' },
    bytes: { type: 'string', default: '1024' },
    engine: { type: 'string', default: 'memory' },
    'limit-mb': { type: 'string', default: '400' },
  },
});
const [seconds, updates, objects, bytes, limitMb] = [
  values.seconds,
  values.updates,
  values.objects,
  values.bytes,
  values['limit-mb'],
].map(Number) as [number, number, number, number, number];

const directory = mkdtempSync(join(tmpdir(), 'memory-load-'));

function openStorage(): Promise<Storage> | Storage {
  if (values.engine === 'memory') return createMemoryStorage({ clock: systemClock });
  if (values.engine === 'sqlite')
    return openSqliteStorage({ clock: systemClock, path: join(directory, 'store.db'), durability: 'relaxed' });
  throw new TypeError(`--engine ${values.engine}: one of memory, sqlite`);
}

interface Peak {
  heap: number;
  resident: number;
}

/** Reads the memory use after this number of updates: a timer would not run during constant work. */
function look(peak: Peak): void {
  const { heapUsed, rss } = process.memoryUsage();
  peak.heap = Math.max(peak.heap, heapUsed);
  peak.resident = Math.max(peak.resident, rss);
}

/** Reads a watch as fast as it delivers; restarts after falling behind. */
async function follow(server: ApiServer, stop: AbortSignal, seen: { events: number; restarts: number }): Promise<void> {
  const maps = server.client().resource(ConfigMap).namespace('default');
  while (!stop.aborted) {
    for await (const { type } of maps.watch({ signal: stop })) {
      if (type === 'ERROR') seen.restarts += 1;
      else seen.events += 1;
    }
  }
}

const server = new ApiServer({ storage: await openStorage() });
const maps = server.client().resource(ConfigMap).namespace('default');
const value = 'x'.repeat(bytes);
for (let index = 0; index < objects; index += 1)
  await maps.create({ metadata: { name: `map-${index}` }, data: { value } });

const peak: Peak = { heap: 0, resident: 0 };
const stop = new AbortController();
const seen = { events: 0, restarts: 0 };
const following = follow(server, stop.signal, seen);
const idle = maps.watch();
await idle.next();

const start = performance.now();
let done = 0;
let reported = start;
async function write(writer: number): Promise<void> {
  for (let turn = writer; done < updates && performance.now() - start < seconds * 1000; turn += WRITERS) {
    await maps.update({ metadata: { name: `map-${turn % objects}` }, data: { value, turn: String(turn) } });
    done += 1;
    if (done % 256 === 0) {
      look(peak);
      // Lets the other sides of the streams run.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const now = performance.now();
    if (now - reported < REPORT_MS) continue;
    reported = now;
    const { heapUsed, rss } = process.memoryUsage();
    console.log(
      `${Math.round((now - start) / 1000)} s: ${done} updates, ${Math.round(heapUsed / MIB)} MB of heap, ${Math.round(rss / MIB)} MB resident, ${seen.events} events seen`,
    );
  }
}
await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));

// The watcher that never read gets an error, and a list with a watch from its version continues.
let idleEnd = '';
for await (const { type, object } of idle)
  idleEnd = type === 'ERROR' ? String((object as { code?: number }).code) : type;
const { items, metadata } = await maps.list();
stop.abort();
await following;
const took = (performance.now() - start) / 1000;
await server.close();
rmSync(directory, { recursive: true, force: true });

const result = {
  engine: values.engine,
  updates: done,
  seconds: Math.round(took),
  peakHeapMb: Math.round(peak.heap / MIB),
  peakResidentMb: Math.round(peak.resident / MIB),
  events: seen.events,
  restarts: seen.restarts,
  idle: idleEnd,
  items: items.length,
  resourceVersion: metadata.resourceVersion,
};
console.log(JSON.stringify(result));
process.exitCode = result.peakHeapMb > limitMb || result.items !== objects ? 1 : 0;
