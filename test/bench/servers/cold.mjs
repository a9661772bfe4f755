// Runs in a separate process, with an engine, the path or the URL of a store, and a limit of the texts in memory: measures the time until it has
// answered from the store, the memory in use, and reads.
import { systemClock } from 'orch-apiserver';
import { MemoryBudget } from 'orch-apiserver/storage';
import { openPostgresStorage } from 'orch-apiserver/storage/postgres';
import { openSqliteStorage } from 'orch-apiserver/storage/sqlite';

const READS = 20_000;
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
const storage = await open(engine, place, Number(limit));
const { records, remaining } = await storage.list('', { limit: 500 });
let length = 0;
for (const { text } of records) length += text.length;
const openMs = performance.now() - start;
const opened = memory();

/** Mean time of reads of keys that lie far from each other, in microseconds. */
async function read(count, different) {
  const keys = [];
  const step = Math.floor((remaining + records.length) / different);
  let after = '';
  for (let index = 0; index < different; index += 1) {
    const page = await storage.list('', { after, limit: step });
    const key = page.records.at(-1)?.key;
    if (key === undefined) break;
    keys.push(key);
    after = key;
  }
  const begin = performance.now();
  for (let index = 0; index < count; index += 1) {
    const { record } = await storage.get(keys[index % keys.length]);
    length += record.text.length;
  }
  return ((performance.now() - begin) * 1000) / count;
}

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
console.log(JSON.stringify({ openMs, before, ...opened, coldReadUs, hotReadUs, coldPageUs, length }));
await storage.close();
