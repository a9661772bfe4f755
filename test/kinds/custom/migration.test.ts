import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import type { Storage } from '../../../src/entries/storage.js';
import { startTestServer, type TestServer } from '../../../src/entries/testing.js';
import { widgetDefinition } from './definitions.js';

const DEFINITION = 'widgets.shop.example';
const PREFIX = '/registry/shop.example/widgets/';

interface World extends AsyncDisposable {
  readonly running: TestServer;
  readonly storage: Storage;
}

/** Starts a server with objects that are stored in v1, the first storage version. */
async function start(count: number, conversion?: object): Promise<World> {
  let storage: Storage | undefined;
  const running = await startTestServer({
    storage: ({ clock }) => (storage = createMemoryStorage({ clock })),
    crds: [widgetDefinition(conversion === undefined ? {} : { conversion })],
  });
  if (storage === undefined) throw new Error('the storage was not opened');
  const widgets = running.client.resource({ apiVersion: 'shop.example/v1', kind: 'Widget' }).namespace('default');
  for (let index = 0; index < count; index += 1)
    await widgets.create({ metadata: { name: `w${index}` }, spec: { color: 'red' } });
  return { running, storage, [Symbol.asyncDispose]: () => running.close() };
}

const definitionsOf = ({ running }: World) =>
  running.client.resource({ apiVersion: 'apiextensions.orch.io/v1', kind: 'CustomResourceDefinition' });

/** Changes the versions of the definition and waits until they are served. */
async function changeVersions(world: World, change: (name: string) => object): Promise<void> {
  const { versions } = widgetDefinition().spec;
  const spec = { versions: versions.map((version) => ({ ...version, ...change(version.name) })) };
  await definitionsOf(world).patch(DEFINITION, { spec }, { type: 'merge' });
  await world.running.settled();
}

const storeIn = (world: World, stored: string) => changeVersions(world, (name) => ({ storage: name === stored }));

const storedVersionsOf = async (world: World): Promise<unknown> => {
  const { status } = (await definitionsOf(world).get(DEFINITION)) as { status?: { storedVersions?: unknown } };
  return status?.storedVersions;
};

/** The stored apiVersions, by name. */
async function storedForms({ storage }: World): Promise<Record<string, string>> {
  const { records } = await storage.list(PREFIX);
  return Object.fromEntries(
    records.map(({ key, text }) => [
      key.slice(`${PREFIX}default/`.length),
      (JSON.parse(text) as { apiVersion: string }).apiVersion,
    ]),
  );
}

describe('migrate', () => {
  test('rewrites every page in the storage version and forgets the others', async () => {
    await using world = await start(450);
    await storeIn(world, 'v1alpha1');
    expect(await storedVersionsOf(world)).toEqual(['v1', 'v1alpha1']);
    const progress: number[] = [];
    const result = await world.running.server.migrate({ onProgress: (_name, done) => progress.push(done) });
    expect(result).toEqual([
      {
        definition: DEFINITION,
        storageVersion: 'v1alpha1',
        objects: 450,
        rewritten: 450,
        removedVersions: ['v1'],
        failures: [],
      },
    ]);
    expect(new Set(Object.values(await storedForms(world)))).toEqual(new Set(['shop.example/v1alpha1']));
    expect(await storedVersionsOf(world)).toEqual(['v1alpha1']);
    expect(progress).toEqual([200, 400, 450, 200, 400, 450]);
  });

  test('then a version can be removed from the definition', async () => {
    await using world = await start(1);
    await storeIn(world, 'v1alpha1');
    const spec = {
      versions: widgetDefinition()
        .spec.versions.slice(1)
        .map((v) => ({ ...v, storage: true })),
    };
    const remove = () => definitionsOf(world).patch(DEFINITION, { spec }, { type: 'merge' });
    await expect(remove()).rejects.toThrow('must appear in spec.versions');
    await world.running.server.migrate();
    await remove();
    await world.running.settled();
    const widgets = world.running.client.resource({ apiVersion: 'shop.example/v1alpha1', kind: 'Widget' });
    expect(await widgets.namespace('default').get('w0')).toMatchObject({ spec: { color: 'red' } });
  });

  test('a second migration writes nothing', async () => {
    await using world = await start(3);
    await storeIn(world, 'v1alpha1');
    await world.running.server.migrate();
    const before = await world.storage.currentRevision();
    expect(await world.running.server.migrate()).toMatchObject([{ objects: 3, rewritten: 0, removedVersions: [] }]);
    expect(await world.storage.currentRevision()).toBe(before);
  });

  test('a dry run writes nothing', async () => {
    await using world = await start(3);
    await storeIn(world, 'v1alpha1');
    const before = await world.storage.currentRevision();
    const result = await world.running.server.migrate({ dryRun: true });
    expect(result).toMatchObject([{ objects: 3, rewritten: 3, removedVersions: ['v1'] }]);
    expect(await world.storage.currentRevision()).toBe(before);
    expect(await storedVersionsOf(world)).toEqual(['v1', 'v1alpha1']);
  });

  test('keeps the writes of others', async () => {
    await using world = await start(20);
    await storeIn(world, 'v1alpha1');
    const widgets = world.running.client
      .resource({ apiVersion: 'shop.example/v1', kind: 'Widget' })
      .namespace('default');
    // Each write of the migration is preceded by another write to the same object, or by its deletion.
    const { storage } = world;
    const update = storage.update.bind(storage);
    const touched = new Set<string>();
    storage.update = async (key, ...rest) => {
      if (key.startsWith(PREFIX) && !touched.has(key)) {
        touched.add(key);
        const name = key.slice(`${PREFIX}default/`.length);
        if (name === 'w7') await widgets.delete(name);
        else await widgets.patch(name, { spec: { color: 'green' } }, { type: 'merge' });
      }
      return update(key, ...rest);
    };
    const [result] = await world.running.server.migrate();
    expect(result).toMatchObject({ objects: 20, rewritten: 0, failures: [], removedVersions: ['v1'] });
    const { items } = await widgets.list();
    expect(items.map(({ spec }) => (spec as { color: string }).color)).toEqual(Array(19).fill('green'));
    expect(new Set(Object.values(await storedForms(world)))).toEqual(new Set(['shop.example/v1alpha1']));
  });

  test('an interrupted migration goes on where it ended, and forgets no version before the end', async () => {
    await using world = await start(450);
    await storeIn(world, 'v1alpha1');
    const interrupted = new AbortController();
    const onProgress = (): void => interrupted.abort(new Error('interrupted'));
    await expect(world.running.server.migrate({ signal: interrupted.signal, onProgress })).rejects.toThrow(
      'interrupted',
    );
    expect(await storedVersionsOf(world)).toEqual(['v1', 'v1alpha1']);
    expect(await world.running.server.migrate()).toMatchObject([
      { objects: 450, rewritten: 250, removedVersions: ['v1'] },
    ]);
  });

  test('an unreadable object is reported, and the versions stay', async () => {
    await using world = await start(2);
    await storeIn(world, 'v1alpha1');
    await world.storage.create(`${PREFIX}default/x`, () => '{"kind":"Other","apiVersion":"v9","metadata":{}}');
    const [result] = await world.running.server.migrate();
    expect(result).toMatchObject({
      objects: 3,
      rewritten: 2,
      removedVersions: [],
      failures: [
        {
          key: `${PREFIX}default/x`,
          message: `Internal error occurred: what is stored under ${PREFIX}default/x cannot be read: no kind "Other" is registered for version "v9"`,
        },
      ],
    });
    expect(await storedVersionsOf(world)).toEqual(['v1', 'v1alpha1']);
  });

  test('a definition that changes meanwhile keeps its versions', async () => {
    await using world = await start(2);
    await storeIn(world, 'v1alpha1');
    const { storage } = world;
    const list = storage.list.bind(storage);
    let changed = false;
    storage.list = async (prefix, options) => {
      if (prefix === PREFIX && !changed) {
        changed = true;
        await storeIn(world, 'v1');
        await storeIn(world, 'v1alpha1');
      }
      return list(prefix, options);
    };
    expect(await world.running.server.migrate()).toMatchObject([
      { problem: 'the definition was changed during the migration; migrate again', removedVersions: [] },
    ]);
    expect(await storedVersionsOf(world)).toEqual(['v1', 'v1alpha1']);
    expect(await world.running.server.migrate()).toMatchObject([{ removedVersions: ['v1'] }]);
  });

  test('a storage version that is not served is migrated too; a definition without served versions is not', async () => {
    await using world = await start(2);
    await changeVersions(world, (name) => ({ storage: name === 'v1alpha1', served: name === 'v1' }));
    expect(await world.running.server.migrate()).toMatchObject([{ rewritten: 2, removedVersions: ['v1'] }]);
    const widgets = world.running.client.resource({ apiVersion: 'shop.example/v1', kind: 'Widget' });
    expect((await widgets.namespace('default').get('w1')).apiVersion).toBe('shop.example/v1');
    await changeVersions(world, (name) => ({ storage: name === 'v1alpha1', served: false }));
    expect(await world.running.server.migrate()).toMatchObject([
      { problem: 'the server does not serve any version of it', rewritten: 0 },
    ]);
  });
});
