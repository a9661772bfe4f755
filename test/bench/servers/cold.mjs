// Runs in a separate process, with the path of a store and a limit of the texts in memory: measures the time until it has
// answered from the store, the memory in use, and reads.
import { systemClock } from 'orch-apiserver';
import { openSqliteStorage } from 'orch-apiserver/storage/sqlite';

const READS = 20_000;

function memory() {
  globalThis.gc();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heap: heapUsed };
}

const [path, cacheObjects] = process.argv.slice(2);
const before = memory();
const start = performance.now();
const storage = await openSqliteStorage({ path, clock: systemClock, cacheObjects: Number(cacheObjects) });
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
console.log(JSON.stringify({ openMs, before, ...opened, coldReadUs, hotReadUs, length }));
await storage.close();
