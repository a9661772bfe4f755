/** The reader of metadata alone: it answers as the metadata-only form of HTTP does, whatever the store contains. */
import { afterEach, beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import { ApiServer, ConfigMap, type PartialObjectMetadata, type ResourceReader } from '../../src/entries/index.js';
import { HorizontalPodAutoscaler } from '../../src/entries/kinds.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import type { Storage } from '../../src/entries/storage.js';
import { createManualClock } from '../../src/entries/testing.js';
import { ask, textOf } from '../server/ask.js';

const PREFIX = '/registry/configmaps/default/';
const MAPS = '/api/v1/namespaces/default/configmaps';
const FORM = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const NAMES = { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' };

/** Texts of ConfigMaps as other programs may store them, by name. */
const texts: Readonly<Record<string, string>> = {
  plain: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"plain","labels":{"a":"b"}},"data":{"k":"v"}}',
  late: '{"kind":"ConfigMap","apiVersion":"v1","data":{"metadata":"x"},"metadata":{"name":"late","uid":"u"}}',
  escaped: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"escaped","annotations":{"k":"\\u00fc\\"}"}}}',
  bare: '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"bare"}}',
};

let storage: Storage;
let server: ApiServer;
beforeEach(async () => {
  storage = createMemoryStorage({ clock: createManualClock() });
  server = new ApiServer({
    storage,
    dialect: 'kubernetes',
    controllers: { enable: [] },
    featureGates: { WatchList: true },
    authentication: { tokens: [{ token: 'admin', user: { username: 'admin', groups: ['system:masters'] } }] },
  });
  await server.client().resource(ConfigMap).list();
  for (const [name, text] of Object.entries(texts)) await storage.create(PREFIX + name, () => text);
});
afterEach(() => server.close());

const maps = () => server.client().resource(ConfigMap).namespace('default');

describe('the metadata of objects', () => {
  test('is the metadata-only form of HTTP', async () => {
    await server.settled();
    const { items, ...list } = await maps().metadata().list();
    const answer = await ask(server, 'GET', MAPS, { headers: { accept: FORM } });
    expect({ ...list, items }).toEqual(JSON.parse(textOf(answer)));
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['bare', 'escaped', 'late', 'plain']);
    expect(items[1]).toEqual({ ...NAMES, metadata: { name: 'escaped', annotations: { k: 'ü"}' } } });
  });

  test('is that of the whole objects, whether they are decoded already or not', async () => {
    const first = await maps().metadata().list();
    const whole = (await maps().list()).items.map(({ metadata }) => ({ ...NAMES, metadata }));
    expect(first.items).toEqual(whole);
    expect((await maps().metadata().list()).items).toEqual(whole);
  });

  test('is read without decoding the objects, where their text tells it', async () => {
    await maps().metadata().list();
    const decoded = async (name: string): Promise<boolean> =>
      (await storage.get(PREFIX + name)).record?.decoded !== undefined;
    expect([await decoded('plain'), await decoded('bare'), await decoded('late')]).toEqual([false, false, true]);
  });

  test('belongs to the caller', async () => {
    await maps().get('plain');
    const read = await maps().metadata().get('plain');
    expectTypeOf(read).toEqualTypeOf<PartialObjectMetadata>();
    read.metadata.labels = { a: 'changed' };
    expect((await maps().get('plain')).metadata.labels).toEqual({ a: 'b' });
  });

  test('is paged and selected like the objects', async () => {
    const page = await maps().metadata().list({ limit: 3 });
    expect(page.items).toHaveLength(3);
    const rest = await maps().metadata().list({ limit: 3, continue: page.metadata.continue });
    expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['plain']);
    const selected = await maps().metadata().list({ labelSelector: 'a=b' });
    expect(selected.items.map(({ metadata }) => metadata.name)).toEqual(['plain']);
  });

  test('of a kind in another version is that of the converted object', async () => {
    const scalers = server.client().resource(HorizontalPodAutoscaler).namespace('default');
    await scalers.create({
      metadata: { name: 'scaler' },
      spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'web' } },
    });
    const older = server.client().resource({ apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler' });
    const { items } = await older.metadata().list();
    expect(items.map(({ metadata }) => metadata)).toEqual((await older.list()).items.map(({ metadata }) => metadata));
  });

  test('is what a watch yields, with the resource version of each event', async () => {
    const { resourceVersion = '' } = (await maps().metadata().list()).metadata;
    await maps().create({ metadata: { name: 'new' }, data: { k: 'v' } });
    await maps().delete('new');
    const seen = async (reader: Pick<ResourceReader<PartialObjectMetadata>, 'watch'>): Promise<unknown[]> => {
      const events: unknown[] = [];
      for await (const event of reader.watch({ resourceVersion })) {
        if (event.type === 'ERROR') throw new Error(event.object.message);
        events.push({ type: event.type, ...NAMES, metadata: event.object.metadata });
        if (event.type === 'DELETED') break;
      }
      return events;
    };
    const events = await seen(maps().metadata());
    expect(events).toMatchObject([{ type: 'ADDED' }, { type: 'DELETED' }]);
    expect(events).toEqual(await seen(maps()));
  });

  test('is what a watch with initial events yields, with a bookmark of the same kind', async () => {
    const names: (string | undefined)[] = [];
    for await (const event of maps().metadata().watch({
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: true,
    })) {
      if (event.type === 'ERROR') throw new Error(event.object.message);
      expect(event.object).toMatchObject(NAMES);
      if (event.type === 'BOOKMARK') break;
      names.push(event.object.metadata.name);
    }
    expect(names).toEqual(['bare', 'escaped', 'late', 'plain']);
  });

  test('is authorized like the objects', async () => {
    const bob = server.client({ user: 'bob' }).resource(ConfigMap).namespace('default');
    await expect(bob.metadata().list()).rejects.toMatchObject({ code: 403 });
    await expect(bob.metadata().get('plain')).rejects.toMatchObject({ code: 403 });
  });
});

describe.each([
  ['a text that was cut off', '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"broken"},"da'],
  ['broken metadata', '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":broken},"data":{}}'],
  ['another kind', '{"kind":"Secret","apiVersion":"v7","metadata":{"name":"broken"}}'],
])('of %s', (_what, text) => {
  beforeEach(() => storage.create(`${PREFIX}broken`, () => text));

  test('a list fails, or leaves it out and reports it', async () => {
    await expect(maps().metadata().list()).rejects.toMatchObject({ code: 500 });
    for (const parameters of [{}, { labelSelector: '!a' }, { limit: 2 }]) {
      const reported: string[] = [];
      const onUnreadable = ({ name }: { name: string }): void => void reported.push(name);
      const { items } = await maps()
        .metadata()
        .list({ ...parameters, onUnreadable });
      expect(reported).toEqual(['broken']);
      expect(items.map(({ metadata }) => metadata.name)).not.toContain('broken');
      expect(items.length).toBeGreaterThan(0);
    }
  });

  test('a get fails', async () => {
    await expect(maps().metadata().get('broken')).rejects.toMatchObject({ code: 500 });
  });
});
