// Runs in a separate process, with an engine, the path or the URL of a store, and a limit of the texts in memory: measures the time until it has
// answered from the store, the memory in use, and reads.
import pg from 'pg';
import { systemClock } from 'orch-apiserver';
import { MemoryBudget } from 'orch-apiserver/storage';
import { openPostgresStorage } from 'orch-apiserver/storage/postgres';
import { openSqliteStorage } from 'orch-apiserver/storage/sqlite';

const READS = 20_000;
const keyOf = (index) =>
  `/registry/configmaps/namespace-${String(index % 500).padStart(3, '0')}/settings-of-service-${String(index).padStart(7, '0')}`;
const PAGES = 20;

function memory() {
  globalThis.gc();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heap: heapUsed };
}

/** Opens the store. PostgreSQL answers from its keys once they have been read. */
async function open(engine, place, cacheObjects) {
  if (engine === 'sqlite') return openSqliteStorage({ path: place, clock: systemClock, cacheObjects });
  let serve;
  const serving = new Promise((resolve) => (serve = resolve));
  const watchCache = { onStatus: ({ kind }) => kind === 'serving' && serve() };
  const opened = await openPostgresStorage({ url: place, clock: systemClock, cacheObjects, watchCache });
  opened.shareBudget(new MemoryBudget());
  await serving;
  return opened;
}

const [engine, place, limit] = process.argv.slice(2);
const before = memory();
const start = performance.now();
const cpuBefore = process.cpuUsage();
const storage = await open(engine, place, Number(limit));
const { records, remaining } = await storage.list('', { limit: 500 });
let length = 0;
for (const { text } of records) length += text.length;
const openMs = performance.now() - start;
const { user, system } = process.cpuUsage(cpuBefore);
const openCpuMs = (user + system) / 1000;
const opened = memory();

/** Returns keys that lie far from each other. */
function keysFarApart(different) {
  const step = Math.floor((remaining + records.length) / different);
  return Array.from({ length: different }, (_, index) => keyOf(index * step));
}

/** Mean time of reads of keys that lie far from each other, in microseconds. */
async function read(count, different) {
  const keys = keysFarApart(different);
  const begin = performance.now();
  for (let index = 0; index < count; index += 1) {
    const { record } = await storage.get(keys[index % keys.length]);
    length += record.text.length;
  }
  return ((performance.now() - begin) * 1000) / count;
}

const medianOf = (times) => times.sort((a, b) => a - b)[times.length >> 1] * 1000;

/**
 * Median times of reads of objects that are not in memory, and of a plain select of the same rows, in turns. In
 * microseconds.
 */
async function medians() {
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  const name = 'plain';
  const text = 'SELECT v.value FROM orch.current c JOIN orch.versions v ON v.revision = c.revision WHERE c.key = $1';
  const [reads, selects] = [[], []];
  for (const key of keysFarApart(Math.min(5000, remaining))) {
    const selectBegin = performance.now();
    await client.query({ name, text, values: [key] });
    const readBegin = performance.now();
    selects.push(readBegin - selectBegin);
    const { record } = await storage.get(key);
    length += record.text.length;
    reads.push(performance.now() - readBegin);
  }
  await client.end();
  return { read: medianOf(reads), select: medianOf(selects) };
}

const median = engine === 'postgres' ? await medians() : undefined;
const coldReadUs = await read(Math.min(READS, remaining), Math.min(READS, remaining));
await read(2000, 1000);
const hotReadUs = await read(READS, 1000);
const begin = performance.now();
for (let after = '/registry/configmaps/namespace-250', page = 0; page < PAGES; page += 1) {
  const { records: some } = await storage.list('', { after, limit: 500, notOlderThan: 0 });
  for (const { text } of some) length += text.length;
  after = some.at(-1)?.key ?? '';
}
const coldPageUs = ((performance.now() - begin) * 1000) / PAGES;
console.log(
  JSON.stringify({ openMs, openCpuMs, before, ...opened, coldReadUs, hotReadUs, coldPageUs, median, length }),
);
await storage.close();
