/** The metrics of the storage by the names and labels of Kubernetes. */
import { afterEach, expect, test } from 'vitest';
import { ApiServer, kubernetes, type ApiServerOptions } from '../../src/entries/index.js';
import { StorageError } from '../../src/storage/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { decorateStorage } from '../../src/storage/decorate.js';
import { systemClock } from '../../src/foundation/index.js';
import { Metrics } from '../../src/server/metrics/metrics.js';
import { storeMeters } from '../../src/server/metrics/storage-metrics.js';
import { ResourceInfo } from '../../src/registry/definition/resource-info.js';
import { ConfigMap } from '../../src/kinds/builtin/index.js';
import { createManualClock } from '../../src/entries/testing.js';
import { ask, textOf } from './ask.js';

const servers: ApiServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const MAPS = '/api/v1/namespaces/default/configmaps';

function start(options: ApiServerOptions = {}): ApiServer {
  const server = new ApiServer({
    dialect: kubernetes,
    ...options,
    authentication: { ownerToken: 'admin', ...options.authentication },
  });
  servers.push(server);
  return server;
}

/** The samples of a metric of config maps, without their labels. */
async function samples(server: ApiServer, name: string): Promise<string[]> {
  const lines = textOf(await ask(server, 'GET', '/metrics')).split('\n');
  return lines.filter((line) => line.startsWith(`${name}{`) && line.includes('"configmaps"'));
}

const post = (server: ApiServer, name: string, labels = {}): Promise<unknown> =>
  ask(server, 'POST', MAPS, { body: JSON.stringify({ metadata: { name, labels } }) });

test('calls of the storage are counted and timed by operation and resource', async () => {
  const server = start();
  await post(server, 'a');
  const before = await samples(server, 'etcd_requests_total');
  expect(before).toContain('etcd_requests_total{operation="create",type="configmaps"} 1');
  await ask(server, 'GET', `${MAPS}/a`);
  await ask(server, 'PUT', `${MAPS}/a`, { body: JSON.stringify({ metadata: { name: 'a' }, data: { a: 'b' } }) });
  await ask(server, 'DELETE', `${MAPS}/a`);
  const after = await samples(server, 'etcd_requests_total');
  expect(after).toContain('etcd_requests_total{operation="update",type="configmaps"} 1');
  expect(after).toContain('etcd_requests_total{operation="delete",type="configmaps"} 1');
  expect(after.find((line) => line.includes('"get"'))).toMatch(/ [3-9]$/);
  expect(await samples(server, 'etcd_request_duration_seconds_count')).toContain(
    'etcd_request_duration_seconds_count{operation="create",type="configmaps"} 1',
  );
  expect(await samples(server, 'etcd_request_errors_total')).toEqual([]);
});

test('lists say how many objects were read, tested and returned', async () => {
  const server = start();
  for (const name of ['a', 'b', 'c']) await post(server, name, { app: name });
  const numbers = async (): Promise<number[]> => {
    const names = ['total', 'fetched_objects_total', 'evaluated_objects_total', 'returned_objects_total'];
    const lines = await Promise.all(names.map((name) => samples(server, `apiserver_storage_list_${name}`)));
    return lines.map(([line = ' 0']) => Number(line.split(' ').at(-1)));
  };
  const [total = 0, fetched = 0, evaluated = 0, returned = 0] = await numbers();
  await ask(server, 'GET', `${MAPS}?limit=2`);
  expect(await numbers()).toEqual([total + 1, fetched + 2, evaluated + 2, returned + 2]);
  await ask(server, 'GET', `${MAPS}?resourceVersion=1&resourceVersionMatch=NotOlderThan&fieldSelector=metadata.name=b`);
  expect(await numbers()).toEqual([total + 2, fetched + 3, evaluated + 3, returned + 3]);
});

test('events of the storage and the initial events of watches are counted', async () => {
  const server = start();
  await post(server, 'a');
  const abort = new AbortController();
  const { body } = await ask(server, 'GET', `${MAPS}?watch=true`, { signal: abort.signal });
  if (typeof body !== 'object' || !('stream' in body)) throw new Error('no stream');
  const events = body.stream[Symbol.asyncIterator]();
  await events.next();
  await post(server, 'b');
  await events.next();
  abort.abort();
  expect(await samples(server, 'apiserver_init_events_total')).toEqual([
    'apiserver_init_events_total{resource="configmaps"} 1',
  ]);
  const [received = ''] = await samples(server, 'apiserver_storage_events_received_total');
  expect(received).toMatch(/^apiserver_storage_events_received_total\{resource="configmaps"\} [2-9]$/);
});

test('the size of the objects is shown for engines in memory', async () => {
  const server = start();
  const text = textOf(await ask(server, 'GET', '/metrics'));
  expect(text).toContain('[STABLE] Size of the storage database file physically allocated in bytes.');
  expect(text).toMatch(/^apiserver_storage_size_bytes\{storage_cluster_id="etcd-0"\} [1-9]/m);
});

test('only failures of the storage count as errors, and the promises of the engine are returned as they are', async () => {
  const engine = createMemoryStorage({ clock: systemClock });
  const metrics = new Metrics();
  let pending: Promise<unknown> | undefined;
  const failing = decorateStorage(engine, {
    get: (key) => {
      if (key !== '/down') return (pending = engine.get(key)) as ReturnType<typeof engine.get>;
      return Promise.reject(new StorageError('Unavailable'));
    },
  });
  const meter = storeMeters(metrics, createManualClock())(new ResourceInfo(ConfigMap, kubernetes));
  const storage = meter.measured(failing);
  const got = storage.get('/a');
  expect(got).toBe(pending);
  await got;
  await storage.create('/a', () => '{}');
  await expect(storage.create('/a', () => '{}')).rejects.toMatchObject({ code: 'KeyExists' });
  await expect(storage.get('/down')).rejects.toMatchObject({ code: 'Unavailable' });
  const lines = String(metrics).split('\n');
  expect(lines).toContain('etcd_requests_total{operation="create",type="configmaps"} 2');
  expect(lines.filter((line) => line.startsWith('etcd_request_errors_total{'))).toEqual([
    'etcd_request_errors_total{operation="get",type="configmaps"} 1',
  ]);
  await engine.close();
});
