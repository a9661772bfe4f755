import { describe, expect, test } from 'vitest';
import { Informer } from '../../../src/entries/controllers.js';
import type { StoredObject } from '../../../src/foundation/objects/object.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { GROUP, refusal, specOf, startWorld, version } from './world.js';

const WIDGETS = 'widgets.example.com';
const V1 = `${GROUP}/v1`;
const V2 = `${GROUP}/v2`;
const text = { type: 'string' } as const;

/** A world with access to its storage. */
async function startStored() {
  const storage = createMemoryStorage({ clock: createManualClock() });
  const world = await startWorld({ storage });
  return {
    ...world,
    /** The stored text of an object. */
    stored: async (name: string): Promise<string> =>
      (await storage.get(`/registry/${GROUP}/widgets/default/${name}`)).record?.text ?? '',
    [Symbol.asyncDispose]: () => world.close(),
  };
}

describe('a changed schema', () => {
  test('gives defaults to stored objects and prunes them, and leaves what is stored as it is', async () => {
    await using world = await startStored();
    await world.define({ versions: [version('v1', specOf({ a: text, b: text }))] });
    const widgets = world.kind().namespace('default');
    await widgets.create({ metadata: { name: 'w' }, spec: { a: '1', b: '2' } });
    const before = await world.stored('w');
    await world.change(WIDGETS, (spec) => {
      spec.versions = [version('v1', specOf({ b: text, c: { type: 'string', default: 'new' } }))];
    });
    expect((await widgets.get('w'))['spec']).toEqual({ b: '2', c: 'new' });
    expect((await widgets.list()).items.map((item) => item['spec'])).toEqual([{ b: '2', c: 'new' }]);
    expect(await world.stored('w')).toBe(before);
    await world.change(WIDGETS, (spec) => void (spec.versions = [version('v1', specOf({ a: text, b: text }))]));
    expect((await widgets.get('w'))['spec']).toEqual({ a: '1', b: '2' });
  });

  test('does not move requests that are under way', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let reached = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (reached = resolve));
    await using world = await startWorld({
      admission: {
        plugins: [
          {
            name: 'Slow',
            operations: ['CREATE'],
            mutate: async ({ info }) => {
              if (info.kind !== 'Widget') return;
              reached();
              await held;
            },
          },
        ],
      },
    });
    await world.define({ versions: [version('v1', specOf({ a: text }))] });
    const widgets = world.kind().namespace('default');
    const creating = widgets.create({ metadata: { name: 'w' }, spec: { a: '1' } });
    await arrived;
    await world.change(WIDGETS, (spec) => void (spec.versions = [version('v1', specOf({ b: text }))]));
    release();
    expect((await creating)['spec']).toEqual({ a: '1' });
    expect((await widgets.get('w'))['spec']).toEqual({});
  });
});

describe('versions', () => {
  test('come and go', async () => {
    await using world = await startWorld();
    await world.define({});
    expect(await refusal(world.kind('Widget', V2).list())).toMatch(/^404/);
    await world.change(WIDGETS, (spec) => void spec.versions?.push(version('v2', undefined, { storage: false })));
    await world
      .kind('Widget', V2)
      .namespace('default')
      .create({ metadata: { name: 'w' }, spec: { a: '1' } });
    expect(await world.kind().namespace('default').get('w')).toMatchObject({ apiVersion: V1, spec: { a: '1' } });
    await world.change(WIDGETS, (spec) => {
      for (const each of spec.versions ?? []) each.served = each.name === 'v2';
    });
    expect(await refusal(world.kind().list())).toMatch(/^404/);
    expect((await world.kind('Widget', V2).list()).items).toHaveLength(1);
  });

  test('may be stored side by side; a write stores the new one', async () => {
    await using world = await startStored();
    await world.define({ versions: [version('v1'), version('v2', undefined, { storage: false })] });
    const widgets = world.kind().namespace('default');
    await widgets.create({ metadata: { name: 'old' }, spec: { a: '1' } });
    await world.change(WIDGETS, (spec) => {
      for (const each of spec.versions ?? []) each.storage = each.name === 'v2';
    });
    expect((await world.definitions.get(WIDGETS)).status.storedVersions).toEqual(['v1', 'v2']);
    await widgets.create({ metadata: { name: 'new' }, spec: { a: '2' } });
    expect([await world.stored('old'), await world.stored('new')].map((stored) => stored.slice(0, 47))).toEqual([
      '{"kind":"Widget","apiVersion":"example.com/v1",',
      '{"kind":"Widget","apiVersion":"example.com/v2",',
    ]);
    expect((await widgets.list()).items.map(({ apiVersion }) => apiVersion)).toEqual([V1, V1]);
    expect((await world.kind('Widget', V2).list()).items.map(({ apiVersion }) => apiVersion)).toEqual([V2, V2]);
    await widgets.patch('old', { metadata: { labels: { a: 'b' } } });
    expect(await world.stored('old')).toMatch(/^\{"kind":"Widget","apiVersion":"example.com\/v2",/);
  });
});

test('pages and versions of a list go on after a change', async () => {
  await using world = await startWorld();
  await world.define({ versions: [version('v1', specOf({ a: text }))] });
  const widgets = world.kind().namespace('default');
  for (const name of ['a', 'b', 'c']) await widgets.create({ metadata: { name }, spec: { a: name } });
  const first = await widgets.list({ limit: 1 });
  await world.change(WIDGETS, (spec) => void (spec.versions = [version('v1', specOf({ b: text }))]));
  const rest = await widgets.list({ limit: 5, continue: first.metadata.continue });
  expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
  expect(rest.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  const exact = { resourceVersion: first.metadata.resourceVersion ?? '', resourceVersionMatch: 'Exact' } as const;
  expect((await widgets.list(exact)).items).toHaveLength(3);
});

test('columns, selectable fields and the scale follow the definition', async () => {
  await using world = await startWorld();
  const schema = specOf({ color: text, replicas: { type: 'integer' } });
  await world.define({ versions: [version('v1', schema)] });
  const widgets = world.kind().namespace('default');
  await widgets.create({ metadata: { name: 'r' }, spec: { color: 'red', replicas: 3 } });
  await widgets.create({ metadata: { name: 'g' }, spec: { color: 'green', replicas: 1 } });
  expect(await refusal(widgets.list({ fieldSelector: 'spec.color=red' }))).toMatch(
    /^400 BadRequest .*field label not supported: spec.color/,
  );
  await world.change(WIDGETS, (spec) => {
    spec.versions = [
      version('v1', schema, {
        selectableFields: [{ jsonPath: '.spec.color' }],
        additionalPrinterColumns: [{ name: 'Color', type: 'string', jsonPath: '.spec.color' }],
        subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.r' } },
      }),
    ];
  });
  const red = await widgets.list({ fieldSelector: 'spec.color=red' });
  expect(red.items.map(({ metadata }) => metadata.name)).toEqual(['r']);
  const path = `/apis/${GROUP}/v1/namespaces/default/widgets`;
  const table = await world.http(path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  expect(table).toMatchObject({
    columnDefinitions: [{ name: 'Name' }, { name: 'Color' }],
    rows: [{ cells: ['g', 'green'] }, { cells: ['r', 'red'] }],
  });
  expect(await world.http(`${path}/r/scale`)).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
  await world.change(WIDGETS, (spec) => void (spec.versions = [version('v1', schema)]));
  expect(await world.http(`${path}/r/scale`)).toMatchObject({ code: 404 });
});

test('an informer sees each write once, however often the definition changes meanwhile', async () => {
  await using world = await startWorld();
  await world.define({ versions: [version('v1'), version('v2', undefined, { storage: false })] });
  const widgets = world.kind().namespace('default');
  const seen: string[] = [];
  const informer = new Informer<StoredObject>({ source: widgets as never, clock: world.clock });
  const note = ({ metadata }: StoredObject): void => void seen.push(metadata.resourceVersion ?? '');
  informer.subscribe({ added: note, updated: note });
  informer.start();
  await informer.synced();
  const written: string[] = [];
  for (let round = 0; round < 20; round += 1) {
    for (let index = 0; index < 10; index += 1) {
      const name = `w-${index}`;
      const object =
        round === 0
          ? await widgets.create({ metadata: { name }, spec: { round } })
          : await widgets.patch(name, { spec: { round } });
      written.push(object.metadata.resourceVersion ?? '');
    }
    const found = await world.definitions.get(WIDGETS);
    for (const each of found.spec.versions ?? []) each.storage = each.name === (round % 2 === 0 ? 'v2' : 'v1');
    if (round % 3 === 0) found.spec.names.categories = [`c${round}`];
    await world.definitions.update(found);
  }
  await informer.caughtUp();
  expect(seen).toEqual(written);
  await world.settled();
  await informer.stop();
});

test('controllers settle after any number of changes without objects', async () => {
  await using world = await startWorld();
  await world.define({});
  await world
    .kind()
    .namespace('default')
    .create({ metadata: { name: 'w' } });
  for (let round = 0; round < 10; round += 1)
    await world.change(WIDGETS, (spec) => void (spec.names.categories = [`c${round}`]));
  expect(world.logged).toEqual([]);
});

test('watches and logs of former kinds do not stay', async () => {
  await using world = await startWorld();
  await world.define({});
  const { clock } = world;
  for (let round = 0; round < 3; round += 1)
    await world.change(WIDGETS, (spec) => void (spec.names.categories = [`c${round}`]));
  const before = clock.pending;
  for (let round = 0; round < 20; round += 1)
    await world.change(WIDGETS, (spec) => void (spec.names.categories = [`d${round}`]));
  expect(clock.pending).toBeLessThanOrEqual(before);
});

test('a watch that begins while the kind is replaced ends or shows the events of the new kind', async () => {
  await using world = await startWorld();
  await world.define({ versions: [version('v1', specOf({ a: text }))] });
  const widgets = world.kind().namespace('default');
  const { resourceVersion = '' } = (await widgets.list()).metadata;
  const stop = new AbortController();
  const opening = widgets.watch({ resourceVersion, signal: stop.signal }).next();
  const found = await world.definitions.get(WIDGETS);
  found.spec.versions = [version('v1', specOf({ b: text })), version('v2', undefined, { storage: false })];
  await world.definitions.update(found);
  await world
    .kind('Widget', V2)
    .namespace('default')
    .create({ metadata: { name: 'w' } });
  const first = await opening;
  expect(first.done === true || first.value.type === 'ADDED').toBe(true);
  stop.abort();
  const after = await widgets.watch({ resourceVersion }).next();
  expect(after.value).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'w' } } });
});
