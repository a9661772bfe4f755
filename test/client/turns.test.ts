/** Reading thousands of objects leaves turns of the event loop to other requests. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiServer, ConfigMap, Namespace, type WatchEvent } from '../../src/entries/index.js';
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

describe('an object of many keys', () => {
  /** Number of keys, whose copy takes several shares of a turn. */
  const KEYS = 20_000;
  const data = Object.fromEntries(Array.from({ length: KEYS }, (_, index) => [`key-${index}`, 'v']));
  beforeEach(() => maps.create({ metadata: { name: 'wide' }, data }));

  test('is copied in several turns for its reader', async () => {
    let read: object | undefined;
    expect(await turnsDuring(async () => (read = (await maps.get('wide')).data))).toBeGreaterThan(5);
    expect(read).toEqual(data);
  });

  test('is copied in several turns for a watch, with the revision of its event', async () => {
    const { metadata } = await maps.list({ fieldSelector: 'metadata.name=wide' });
    const watch = maps.watch({ resourceVersion: metadata.resourceVersion ?? '' });
    const written = maps.patch('wide', { data: { more: 'v' } });
    let next: IteratorResult<WatchEvent<object>, void> | undefined;
    expect(await turnsDuring(async () => (next = await watch.next()))).toBeGreaterThan(5);
    await watch.return();
    const event = next?.value ?? undefined;
    expect([event?.type, event?.object]).toEqual(['MODIFIED', await written]);
  });

  test('has its metadata copied in several turns', async () => {
    let read: object | undefined;
    const { metadata } = await maps.get('wide');
    expect(await turnsDuring(async () => (read = (await maps.metadata().get('wide')).metadata))).toBeGreaterThan(5);
    expect(read).toEqual(metadata);
  });
});
