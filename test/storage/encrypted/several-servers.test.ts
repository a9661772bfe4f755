/** Servers on one store, of which one writes with a key that the other does not have yet. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiServer } from '../../../src/entries/index.js';
import { createEncryption, type StoreEncryption } from '../../../src/entries/encrypted.js';
import { kubernetes, silentLogger, type JsonValue } from '../../../src/foundation/index.js';
import { partitionOf, StoreUsage, type WatchCacheStatus } from '../../../src/storage/index.js';
import type { Storage, StorageEvent, StorageWatchEnd } from '../../../src/storage/storage.js';
import { sample } from '../../../src/testing/storage-contract/fixture.js';
import { ask, jsonOf, textOf } from '../../server/ask.js';
import { PATIENCE } from '../../support/patience.js';
import { apiServer, asked, configMap, MAPS } from '../remote/api-servers.js';
import { sharedEngines, type SharedDatabase } from '../remote/shared-engines.js';
import { entry, KEY_1, KEY_2, provider } from './configurations.js';

const SECRETS = '/api/v1/namespaces/default/secrets';
const OLD = provider('aesgcm', { old: KEY_1 });
const NEXT = provider('aesgcm', { next: KEY_2 });
const PART = '/w/0123';
const CANNOT_READ = /unable to transform key "\/registry\/[a-z.\/-]+": no matching prefix found/;

const variants = sharedEngines.flatMap((engine) =>
  engine.name === 'etcd'
    ? [{ ...engine, options: {} }]
    : [
        { ...engine, options: {} },
        { ...engine, name: `${engine.name}, without texts in memory`, options: { cacheObjects: 0 } },
      ],
);

/** A watch of the API that is read until it ends. */
interface ReadWatch {
  /** The type and the name of each object. */
  readonly seen: string[];
  /** The Status of the ERROR event with which it ended. */
  error: unknown;
  readonly ended: Promise<void>;
}

describe.each(variants)('a server on $name that lacks the key of another', ({ start, isInstalled, options }) => {
  let database: SharedDatabase;
  let stores = 0;
  let closers: (() => unknown)[] = [];
  let statuses: WatchCacheStatus[];
  const stop = new AbortController();
  beforeAll(async () => {
    if (isInstalled) database = await start();
  });
  afterAll(() => (isInstalled ? database.remove() : undefined));
  beforeEach(() => {
    stores += 1;
    closers = [];
    statuses = [];
  });
  afterEach(async () => {
    for (const close of closers.reverse()) await close();
  });

  const of = (resource: string, ...providers: readonly JsonValue[]): JsonValue =>
    configurationOf(entry([resource], ...providers));
  const encryptionOf = async (given: JsonValue): Promise<StoreEncryption> => {
    const made = await createEncryption({ configuration: given, dialect: kubernetes });
    closers.push(() => made.close());
    return made;
  };
  /** As that of a server of a former build, which does not tell the others what it writes. */
  const unstated = async (given: JsonValue): Promise<StoreEncryption> => {
    const silent = { ...(await encryptionOf(given)) };
    delete silent.keys;
    return silent;
  };
  const open = (encryption?: StoreEncryption, onStatus = (_: WatchCacheStatus): void => undefined): Promise<Storage> =>
    database.open(`lacking_${stores}`, { ...options, encryption, watchCache: { onStatus } });
  const serve = async (encryption?: StoreEncryption, onStatus?: (status: WatchCacheStatus) => void) => {
    const server = apiServer(await open(encryption, onStatus), { observability: { logger: silentLogger } });
    closers.push(() => server.close());
    await server.ready();
    return server;
  };

  /** Starts a watch of the API. */
  async function watching(server: ApiServer, path: string, resourceVersion: string): Promise<ReadWatch> {
    const answer = await ask(server, 'GET', `${path}?watch=true&resourceVersion=${resourceVersion}`, {
      signal: stop.signal,
    });
    const { body } = answer;
    if (typeof body !== 'object' || !('stream' in body)) throw new Error(textOf(answer));
    const watch: { seen: string[]; error: unknown; ended: Promise<void> } = {
      seen: [],
      error: undefined,
      ended: Promise.resolve(),
    };
    const read = async (): Promise<void> => {
      let text = '';
      for await (const chunk of body.stream) {
        const lines = (text + new TextDecoder().decode(chunk)).split('\n');
        text = lines.pop() ?? '';
        for (const { type, object } of lines.map((line) => JSON.parse(line) as WatchLine)) {
          if (type === 'ERROR') watch.error = object;
          else watch.seen.push(`${type} ${object.metadata?.name ?? ''}`);
        }
      }
    };
    watch.ended = read();
    return watch;
  }

  const versionOf = async (server: ApiServer, path: string): Promise<string> =>
    ((await asked(server, 'GET', path, 200))['metadata'] as { resourceVersion: string }).resourceVersion;
  const secret = (name: string, value: string): object => ({ metadata: { name }, stringData: { value } });
  const refused = { code: 500, reason: 'InternalError', message: expect.stringMatching(CANNOT_READ) as unknown };

  test.skipIf(!isInstalled)('fails reads and watches of that resource only, and misses nothing later', async () => {
    const keys = await encryptionOf(of('secrets', OLD));
    const lacking = await serve(keys, (status) => statuses.push(status));
    const writer = await serve(await unstated(of('secrets', NEXT, OLD)));
    await vi.waitFor(() => expect(statuses).toMatchObject([{ kind: 'serving' }]), PATIENCE);
    await asked(lacking, 'POST', SECRETS, 201, secret('known', '1'));
    const from = await versionOf(lacking, SECRETS);
    const maps = await watching(lacking, MAPS, from);
    const secrets = await watching(lacking, SECRETS, from);

    await asked(writer, 'POST', SECRETS, 201, secret('sealed', '1'));
    await secrets.ended;
    expect([secrets.seen, secrets.error]).toMatchObject([[], refused]);
    const requests: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['GET', `${SECRETS}/sealed`],
      ['GET', SECRETS],
      ['GET', '/api/v1/secrets?resourceVersion=0'],
      ['GET', '/api/v1/secrets?limit=500'],
      ['GET', `${SECRETS}?labelSelector=a%3Db`],
      ['GET', `${SECRETS}?fieldSelector=metadata.name%3Dsealed`],
      ['PUT', `${SECRETS}/sealed`, secret('sealed', 'mine')],
      ['DELETE', `${SECRETS}/sealed`],
      ['DELETE', SECRETS],
    ];
    for (const [method, path, body] of requests) {
      const answer = await ask(lacking, method, path, body === undefined ? {} : { body: JSON.stringify(body) });
      expect([method, path, answer.status, jsonOf(answer)]).toMatchObject([method, path, 500, refused]);
    }

    // The other resources go on, and so do the other objects of this one.
    await asked(writer, 'POST', MAPS, 201, configMap('a'));
    await asked(lacking, 'POST', MAPS, 201, configMap('b'));
    expect((await asked(lacking, 'GET', MAPS, 200))['items']).toHaveLength(2);
    await asked(lacking, 'PUT', `${SECRETS}/known`, 200, secret('known', '2'));
    await asked(writer, 'PUT', `${SECRETS}/sealed`, 200, secret('sealed', '2'));
    await asked(writer, 'POST', SECRETS, 201, secret('gone', '1'));
    await asked(writer, 'DELETE', `${SECRETS}/gone`, 200);
    const resumed = await watching(lacking, SECRETS, from);
    await resumed.ended;
    expect([resumed.seen, resumed.error]).toMatchObject([[], refused]);
    await vi.waitFor(() => expect(maps.seen).toEqual(['ADDED a', 'ADDED b']), PATIENCE);

    await keys.reload(of('secrets', OLD, NEXT));
    const items = (server: ApiServer) => asked(server, 'GET', SECRETS, 200).then((list) => list['items']);
    expect(await items(lacking)).toEqual(await items(writer));
    const whole = await watching(lacking, SECRETS, from);
    const expected = ['ADDED sealed', 'MODIFIED known', 'MODIFIED sealed', 'ADDED gone', 'DELETED gone'];
    await vi.waitFor(() => expect(whole.seen).toEqual(expected), PATIENCE);
    await asked(lacking, 'PUT', `${SECRETS}/sealed`, 200, secret('sealed', '3'));
    await vi.waitFor(() => expect(whole.seen).toEqual([...expected, 'MODIFIED sealed']), PATIENCE);
    expect([maps.error, whole.error]).toEqual([undefined, undefined]);
    // The copy in memory was never given up.
    expect(statuses).toMatchObject([{ kind: 'serving' }]);
  });

  test.skipIf(!isInstalled)('starts when it can read its own records, and serves the others from memory', async () => {
    const writer = await serve(await unstated(of('configmaps', NEXT)));
    await asked(writer, 'POST', MAPS, 201, configMap('a', { value: '1' }));
    const keys = await encryptionOf(of('configmaps', OLD));
    const lacking = await serve(keys, (status) => statuses.push(status));
    await vi.waitFor(() => expect(statuses).toMatchObject([{ kind: 'serving' }]), PATIENCE);
    const from = await versionOf(lacking, SECRETS);
    await asked(lacking, 'POST', SECRETS, 201, secret('a', '1'));
    expect(await asked(lacking, 'GET', MAPS, 500)).toMatchObject(refused);
    expect(await asked(lacking, 'GET', `${MAPS}/a`, 500)).toMatchObject(refused);
    await asked(lacking, 'POST', MAPS, 201, configMap('b'));
    // A watch from after the version that it lacks needs only what follows.
    const later = await watching(lacking, MAPS, from);
    await vi.waitFor(() => expect(later.seen).toEqual(['ADDED b']), PATIENCE);
    await asked(writer, 'PUT', `${MAPS}/a`, 200, configMap('a', { value: '2' }));
    await later.ended;
    expect(later.error).toMatchObject(refused);
    await keys.reload(of('configmaps', OLD, NEXT));
    expect(await asked(lacking, 'GET', `${MAPS}/a`, 200)).toMatchObject({ data: { value: '2' } });
    expect((await asked(lacking, 'GET', MAPS, 200))['items']).toHaveLength(2);
    expect(statuses).toMatchObject([{ kind: 'serving' }]);
  });

  test.skipIf(!isInstalled)(
    'grants nothing by a binding that it cannot read, until it can',
    async () => {
      const bindings = '/apis/rbac.authorization.k8s.io/v1/rolebindings';
      const resource = 'rolebindings.rbac.authorization.k8s.io';
      const inDefault = bindings.replace('/rolebindings', '/namespaces/default/rolebindings');
      const binding = (name: string, user: string): object => ({
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
      });
      const keys = await encryptionOf(of(resource, OLD));
      const lacking = await serve(keys);
      const writer = await serve(await unstated(of(resource, NEXT, OLD)));
      await asked(lacking, 'POST', inDefault, 201, binding('alice', 'alice'));
      const mayRead = async (server: ApiServer) => (await ask(server, 'GET', MAPS, { token: 'alice' })).status;
      await vi.waitFor(
        async () => expect([await mayRead(lacking), await mayRead(writer)]).toEqual([200, 200]),
        PATIENCE,
      );
      await asked(writer, 'PUT', `${inDefault}/alice`, 200, binding('alice', 'bob'));
      expect(await asked(lacking, 'GET', `${inDefault}/alice`, 500)).toMatchObject(refused);
      await vi.waitFor(async () => expect(await mayRead(lacking)).toBe(403), PATIENCE);
      await asked(writer, 'PUT', `${inDefault}/alice`, 200, binding('alice', 'alice'));
      expect(await mayRead(lacking)).toBe(403);
      await keys.reload(of(resource, OLD, NEXT));
      await vi.waitFor(async () => expect(await mayRead(lacking)).toBe(200), { ...PATIENCE, timeout: 60_000 });
    },
    120_000,
  );

  test.skipIf(!isInstalled)(
    'does not start while another one lives, and keeps its keys when it may not use others',
    async () => {
      const keys = await encryptionOf(of('configmaps', OLD));
      const living = await serve(keys);
      await expect(serve(await encryptionOf(of('configmaps', NEXT, OLD)))).rejects.toThrow(
        /another server does not read configmaps encrypted with the key k8s:enc:aesgcm:v1:next:[0-9a-f]{16}, as this server writes them: first add the key to the encryption configuration \(--encryption-provider-config\)/,
      );
      await expect(serve(await encryptionOf(of('configmaps', NEXT)))).rejects.toThrow(
        /this server does not read configmaps encrypted with the key k8s:enc:aesgcm:v1:old:/,
      );
      // The same name does not make it the same key.
      await expect(serve(await encryptionOf(of('configmaps', provider('aesgcm', { old: KEY_2 }))))).rejects.toThrow(
        'this server differs from the servers that share its store',
      );
      await expect(serve()).rejects.toThrow('this server does not read configmaps encrypted with the key');

      const beside = await encryptionOf(of('configmaps', OLD, NEXT));
      const other = await serve(beside);
      await expect(beside.reload(of('configmaps', NEXT, OLD))).rejects.toThrow(
        'another server does not read configmaps encrypted with the key k8s:enc:aesgcm:v1:next:',
      );
      await asked(other, 'POST', MAPS, 201, configMap('a'));
      expect(await asked(living, 'GET', `${MAPS}/a`, 200)).toMatchObject({ metadata: { name: 'a' } });

      // Each server learns the key, and then uses it.
      await keys.reload(of('configmaps', OLD, NEXT));
      await beside.reload(of('configmaps', NEXT, OLD));
      await asked(other, 'POST', MAPS, 201, configMap('b'));
      await keys.reload(of('configmaps', NEXT, OLD));
      expect((await asked(living, 'GET', MAPS, 200))['items']).toHaveLength(2);
      await expect(keys.reload(of('configmaps', provider('identity'), NEXT, OLD))).rejects.toThrow(
        'another server does not read configmaps stored as they are (identity)',
      );
      // A server that is gone needs no key.
      await living.close();
      await beside.reload(of('configmaps', provider('identity'), NEXT, OLD));
    },
  );

  test.skipIf(!isInstalled)('has the versions in their order for a watch that accepts them', async () => {
    const keys = await encryptionOf(of('secrets', OLD));
    const storage = await open(keys);
    closers.push(() => storage.close());
    const other = await open(await encryptionOf(of('secrets', NEXT, OLD)));
    closers.push(() => other.close());
    const from = await storage.currentRevision();
    const events: StorageEvent[] = [];
    const ends: StorageWatchEnd[] = [];
    const sink = { progress: () => undefined, end: (end: StorageWatchEnd): void => void ends.push(end) };
    storage.watch('/registry/', from, {
      ...{ ...sink, acceptsUnreadable: true },
      events: (batch) => void events.push(...batch),
    });
    const strict: string[] = [];
    storage.watch('/registry/', from, { ...sink, events: (batch) => strict.push(...batch.map(({ key }) => key)) });
    const text = (value: string) => (revision: number) =>
      JSON.stringify({ kind: 'X', apiVersion: 'v1', metadata: { resourceVersion: String(revision) }, value });
    const key = '/registry/secrets/default/a';
    const created = await other.create(key, text('1'));
    const updated = await other.update(key, text('2'), created.modRevision);
    await other.delete(key, text('2'), updated.modRevision);
    await other.create('/registry/configmaps/default/a', text('3'));
    await vi.waitFor(() => expect(events).toHaveLength(4), PATIENCE);
    expect(events.map(({ record }) => record.unreadable?.()?.name)).toEqual([
      ...['UnreadableValueError', 'UnreadableValueError', 'UnreadableValueError'],
      undefined,
    ]);
    expect(() => events[0]?.record.text).toThrow(CANNOT_READ);
    expect([strict, ends]).toMatchObject([[], [{ kind: 'failed', error: { name: 'UnreadableValueError' } }]]);
    await other.create(key, text('4'));
    const page = await storage.list('/registry/', { acceptsUnreadable: true });
    expect(page.records.map((record) => [record.key, record.unreadable?.() === undefined])).toEqual([
      ['/registry/configmaps/default/a', true],
      [key, false],
    ]);
    await expect(storage.list('/registry/')).rejects.toThrow(CANNOT_READ);
    await vi.waitFor(() => expect(events).toHaveLength(5), PATIENCE);
    await keys.reload(of('secrets', OLD, NEXT));
    const values = events.map(({ type, record, previous }) => [type, valueIn(record.text), valueIn(previous?.text)]);
    expect(values).toEqual([
      ['create', '1', undefined],
      ['update', '2', '1'],
      ['delete', '2', '2'],
      ['create', '3', undefined],
      ['create', '4', undefined],
    ]);
    expect(JSON.parse(events[2]?.record.text ?? '')).toMatchObject({
      metadata: { resourceVersion: String(events[2]?.revision) },
    });
    expect(page.records.map(({ text: read }) => valueIn(read))).toEqual(['3', '4']);
  });

  test.skipIf(!isInstalled)('still counts what a workspace has, exactly once it can read all of it', async () => {
    const keys = await encryptionOf(of('secrets', OLD));
    const storage = await open(keys);
    closers.push(() => storage.close());
    const other = await open(await encryptionOf(of('secrets', NEXT, OLD)));
    closers.push(() => other.close());
    const part = partitionOf(storage, PART);
    const usage = new StoreUsage(part);
    closers.push(() => usage.stop());
    await usage.start();
    const key = `${PART}/registry/secrets/default/a`;
    const created = await other.create(key, sample('a'));
    await other.create(`${PART}/registry/secrets/default/b`, sample('b'));
    const recounted = new StoreUsage(part);
    closers.push(() => recounted.stop());
    await vi.waitFor(() => expect(usage.objects).toBe(2), PATIENCE);
    await recounted.start();
    expect([recounted.objects, recounted.bytes]).toEqual([2, usage.bytes]);
    const updated = await other.update(key, sample('a longer value'), created.modRevision);
    await other.create(`${PART}/registry/configmaps/default/a`, sample('c'));
    await vi.waitFor(() => expect([usage.objects, recounted.objects]).toEqual([3, 3]), PATIENCE);
    for (const each of [usage, recounted]) each.assertFollows();
    await keys.reload(of('secrets', OLD, NEXT));
    await other.delete(key, sample('a longer value'), updated.modRevision);
    const b = await part.get('/registry/secrets/default/b');
    await other.delete(`${PART}/registry/secrets/default/b`, () => b.record?.text ?? '', b.record?.modRevision ?? 0);
    const fresh = new StoreUsage(part);
    closers.push(() => fresh.stop());
    await fresh.start();
    const counts = [1, fresh.bytes];
    await vi.waitFor(
      () => expect([usage, recounted].map(({ objects, bytes }) => [objects, bytes])).toEqual([counts, counts]),
      PATIENCE,
    );
  });
});

/** An event of a watch. */
interface WatchLine {
  readonly type: string;
  readonly object: { readonly metadata?: { readonly name?: string } };
}

const valueIn = (text: string | undefined): unknown =>
  text === undefined ? undefined : (JSON.parse(text) as { readonly value: unknown }).value;

/** A configuration in the dialect of the servers. */
const configurationOf = (resources: JsonValue): JsonValue => ({
  ...{ kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1' },
  resources: [resources],
});
