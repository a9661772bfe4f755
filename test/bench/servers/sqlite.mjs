// Runs in a separate process, with the path of a store: measures the time until it is open and a server has answered
// from it, and the memory in use.
import { ApiServer, ConfigMap, systemClock } from 'orch-apiserver';
import { openSqliteStorage } from 'orch-apiserver/storage/sqlite';

function memory() {
  globalThis.gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heap: heapUsed, external };
}

const before = memory();
const start = performance.now();
const storage = await openSqliteStorage({ path: process.argv[2], clock: systemClock });
const server = new ApiServer({ storage });
await server.client().resource(ConfigMap).namespace('default').list({ limit: 1 });
const openMs = performance.now() - start;
let texts = 0;
for (const record of (await storage.list('')).records) texts += record.text.length;
console.log(JSON.stringify({ openMs, texts, ...memory(), before }));
await server.close();
