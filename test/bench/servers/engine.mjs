// The server under measurement: an ApiServer over one of the engines, with the objects that the parent requests.
import { ApiServer, ConfigMap, systemClock } from 'orch-apiserver';
import { listen } from 'orch-apiserver/node';
import { benchConfigMap } from '../object.mjs';

const IN_FLIGHT = 32;
/** One object in a hundred has the label that the bench selects. */
const SELECTED = 100;

/** Opens an engine at its place: a file, or the URL of a member. */
const engines = {
  memory: async () => (await import('orch-apiserver/storage/memory')).createMemoryStorage({ clock: systemClock }),
  sqlite: async (path) =>
    (await import('orch-apiserver/storage/sqlite')).openSqliteStorage({
      path,
      clock: systemClock,
      durability: 'relaxed',
    }),
  etcd: async (url) =>
    (await import('orch-apiserver/storage/etcd')).openEtcdStorage({
      endpoints: [url],
      clock: systemClock,
      compactionInterval: 0,
    }),
};

const [engine, place, count] = process.argv.slice(2);
const objects = Number(count);
const server = new ApiServer({
  dialect: 'kubernetes',
  storage: await engines[engine](place),
  authentication: { tokens: [{ token: 'bench', user: { username: 'bench', groups: ['system:masters'] } }] },
});
const client = server.client().resource(ConfigMap).namespace('default');
let next = 0;

async function createObjects() {
  for (let index = next++; index < objects; index = next++) {
    const { metadata, data } = benchConfigMap(`object-${String(index).padStart(6, '0')}`);
    const labels = index % SELECTED === 0 ? { ...metadata.labels, selected: 'yes' } : metadata.labels;
    await client.create({ metadata: { ...metadata, labels }, data });
  }
}

await Promise.all(Array.from({ length: IN_FLIGHT }, createObjects));
const listener = await listen(server, { port: 0 });
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }));
process.send?.({ url: listener.url });
