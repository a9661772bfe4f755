/** Reading thousands of objects leaves turns of the event loop to other requests. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiServer, ConfigMap, Namespace } from '../../src/entries/index.js';
import { turnsDuring } from '../support/turns.js';

const MANY = 1_500;

const mapsOf = (api: ApiServer, namespace: string) => api.client().resource(ConfigMap).namespace(namespace);

let server: ApiServer;
let maps: ReturnType<typeof mapsOf>;
beforeEach(async () => {
  server = new ApiServer({ featureGates: { WatchList: true } });
  maps = mapsOf(server, 'default');
  for (let index = 0; index < MANY; index += 1) await maps.create({ metadata: { name: `m${index}` } });
});
afterEach(() => server.close());

test('a list', async () => {
  let found = 0;
  expect(await turnsDuring(async () => (found = (await maps.list()).items.length))).toBeGreaterThan(5);
  expect(found).toBeGreaterThanOrEqual(MANY);
});

test('a watch whose reader takes each event at once', async () => {
  let seen = 0;
  const turns = await turnsDuring(async () => {
    for await (const { type } of maps.watch()) if (type === 'ADDED' && (seen += 1) >= MANY) return;
  });
  expect([seen, turns > 5]).toEqual([MANY, true]);
});

test('a watch that is aborted while it waits for its turn ends', async () => {
  const abort = new AbortController();
  let seen = 0;
  const reading = (async () => {
    for await (const { type } of maps.watch({ signal: abort.signal })) if (type === 'ADDED') seen += 1;
  })();
  setImmediate(() => abort.abort());
  await turnsDuring(() => reading);
  expect(seen).toBeLessThan(MANY);
});

test('the deletion of a collection', async () => {
  let deleted = 0;
  expect(await turnsDuring(async () => (deleted = (await maps.deleteCollection()).length))).toBeGreaterThan(5);
  expect(deleted).toBeGreaterThanOrEqual(MANY);
});

test('the deletion of a namespace', async () => {
  const namespaces = server.client().resource(Namespace);
  await namespaces.create({ metadata: { name: 'many' } });
  const many = mapsOf(server, 'many');
  for (let index = 0; index < MANY; index += 1) await many.create({ metadata: { name: `m${index}` } });
  const turns = await turnsDuring(async () => {
    await namespaces.delete('many');
    await server.settled();
  });
  expect(turns).toBeGreaterThan(10);
  expect((await many.list()).items).toEqual([]);
});
