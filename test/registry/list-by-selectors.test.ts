/** Lists with selectors, which an index answers where it can: the same as a filter over all objects. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { StoredObject } from '../../src/foundation/objects/object.js';
import type { ListOptions } from '../../src/registry/verbs/list-options.js';
import { recordFilter } from '../../src/registry/selection/record-filter.js';
import { RecordLabels } from '../../src/registry/selection/record-labels.js';
import type { ResourceStore } from '../../src/registry/store/store.js';
import { FieldSelector, LabelSelector } from '../../src/machinery/index.js';
import { MemoryBudget, type Storage } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { openSqliteStorage } from '../../src/storage/sqlite/index.js';
import { createManualClock } from '../../src/entries/testing.js';
import { createRegistry, fields, labels, namesOf, Widget, type TestRegistry } from './registry.js';

const KINDS = ['web', 'db', 'queue'];
const NAMESPACES = ['east', 'west'];
const COUNT = 60;

const LABEL_SELECTORS = [
  'app=web',
  'app==db',
  'app!=web',
  'app in (web,db)',
  'app notin (web,db)',
  'app',
  '!app',
  'app=web,size',
  'app=none',
  'none',
  '!none',
  'size>3',
  'size<3',
  'size>3,app=web',
  'app!=web,size!=2',
  'id=widget-7',
];
const FIELD_SELECTORS = [
  'spec.color=red',
  'spec.color!=red',
  'spec.color=',
  'metadata.name=w-7',
  'metadata.name!=w-7',
  'metadata.namespace=east',
  'metadata.namespace=none',
  'metadata.namespace!=east',
  'spec.color=red,metadata.namespace=west',
  'spec.color=green,spec.color!=red,metadata.name!=w-10',
];

let registry: TestRegistry;
let store: ResourceStore;
let directory: string;

function widget(number: number, name = `w-${number}`) {
  const app = KINDS[number % 4];
  const color = ['red', 'green', undefined][number % 3];
  return {
    kind: 'Widget',
    apiVersion: 'shop.example/v1',
    metadata: {
      name,
      labels: {
        ...(app === undefined ? {} : { app }),
        ...(number % 5 === 0 ? {} : { size: String(number % 7) }),
        id: `widget-${number}`,
      },
    },
    spec: color === undefined ? {} : { color },
  };
}
const namespaceOf = (number: number): string => NAMESPACES[number % 2] ?? '';

async function fill(storage: Storage): Promise<void> {
  registry = createRegistry({ storage });
  store = registry.store(Widget);
  for (let number = 0; number < COUNT; number += 1)
    await store.create(registry.context, namespaceOf(number), widget(number));
}

const engines: readonly [name: string, open: () => Promise<Storage>][] = [
  ['memory', async () => createMemoryStorage({ clock: createManualClock() })],
  ['sqlite', async () => openSqliteStorage({ path: join(directory, 'store.db'), clock: createManualClock() })],
  [
    'sqlite with no texts in memory',
    async () => openSqliteStorage({ path: join(directory, 'store.db'), clock: createManualClock(), cacheObjects: 0 }),
  ],
];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'selectors-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const index of registry.environment.selectorIndexes) index.close();
  await registry.storage.close();
  rmSync(directory, { recursive: true });
});

/** Names of the objects that a filter over all of them selects. */
async function filtered(namespace: string, options: ListOptions): Promise<string[]> {
  const { records } = await store.list(namespace);
  const isSelected = (object: StoredObject): boolean =>
    (options.labelSelector?.matches(object.metadata.labels) ?? true) &&
    (options.fieldSelector?.matches((field) => {
      if (field === 'metadata.name') return object.metadata.name ?? '';
      if (field === 'metadata.namespace') return object.metadata.namespace ?? '';
      return (object['spec'] as { color?: string }).color ?? '';
    }) ??
      true);
  return records
    .map((record) => store.read(record))
    .filter(isSelected)
    .map(({ metadata }) => metadata.name ?? '');
}

/** Checks every selector in every namespace, whole and in pages. */
async function checkAll(): Promise<void> {
  const selectors: ListOptions[] = [
    ...LABEL_SELECTORS.map(labels),
    ...FIELD_SELECTORS.map(fields),
    { ...labels('app=web'), ...fields('spec.color=red') },
    { ...labels('app!=web,size'), ...fields('spec.color!=,metadata.namespace=west') },
    { labelSelector: LabelSelector.nothing },
  ];
  for (const selector of selectors) {
    for (const namespace of ['', ...NAMESPACES]) {
      const expected = await filtered(namespace, selector);
      const what = `${selector.labelSelector} ${selector.fieldSelector} in ${namespace}`;
      expect(namesOf(store, await store.list(namespace, selector)), what).toEqual(expected);
      const paged: string[] = [];
      let token = '';
      do {
        const page = await store.list(namespace, { ...selector, limit: 4, continue: token });
        paged.push(...namesOf(store, page));
        token = page.continue;
      } while (token !== '');
      expect(paged, `${what}, in pages`).toEqual(expected);
    }
  }
}

describe.each(engines)('on the %s engine', (_name, open) => {
  test('selectors select the same as a filter, before and after writes', { timeout: 300_000 }, async () => {
    await fill(await open());
    await checkAll();
    for (let number = 0; number < COUNT; number += 7)
      await store.delete(registry.context, namespaceOf(number), `w-${number}`);
    for (let number = 1; number < COUNT; number += 7)
      await store.update(registry.context, namespaceOf(number), `w-${number}`, () => widget(number + 2, `w-${number}`));
    await store.create(registry.context, 'east', widget(1001));
    await checkAll();
  });
});

describe('the index of a kind', () => {
  beforeEach(() => fill(createMemoryStorage({ clock: createManualClock() })));

  test('answers without parsing a record', async () => {
    await store.list('', labels('app=web'));
    await store.list('', fields('spec.color=red'));
    for (const record of (await registry.storage.list('')).records) record.decoded = undefined;
    const parse = vi.spyOn(JSON, 'parse');
    for (const selector of [labels('app=web'), labels('app!=web'), fields('spec.color=red')])
      expect((await store.list('', selector)).records.length).toBeGreaterThan(5);
    expect(parse).not.toHaveBeenCalled();
  });

  test('is built without parsing more than the labels', async () => {
    for (const record of (await registry.storage.list('')).records) record.decoded = undefined;
    const parse = vi.spyOn(JSON, 'parse');
    await store.list('', labels('app=web'));
    for (const [text] of parse.mock.calls) expect(text).not.toContain('metadata');
  });

  test('takes a new field while it answers for the others', async () => {
    expect((await store.list('', labels('app=web'))).records.length).toBe(15);
    const byField = store.list('', fields('spec.color=red'));
    expect((await store.list('', labels('app=web'))).records.length).toBe(15);
    expect((await byField).records.length).toBe(20);
    expect((await store.list('', { ...labels('app=web'), ...fields('spec.color=red') })).records.length).toBe(5);
  });

  test('ends with its server, or with its kind, and lists go on', async () => {
    await store.list('', labels('app=web'));
    const { memory, selectorIndexes } = registry.environment;
    const used = memory.keptBytes;
    expect(selectorIndexes.size).toBe(1);
    store.retire();
    expect(selectorIndexes.size).toBe(0);
    expect(memory.keptBytes).toBeLessThan(used);
    expect((await store.list('', labels('app=web'))).records.length).toBe(15);
  });

  test('serves lists of the present and of earlier revisions', async () => {
    const { revision } = await store.list('', labels('app=web'));
    const exact = { ...labels('app=web'), resourceVersion: String(revision), resourceVersionMatch: 'Exact' };
    expect((await store.list('', exact)).records.length).toBe(15);
    await store.delete(registry.context, 'east', 'w-0');
    expect((await store.list('', exact)).records.length).toBe(15);
    expect((await store.list('', labels('app=web'))).records.length).toBe(14);
  });

  test('reports records that cannot be read, as a filter would', async () => {
    await store.list('', labels('app=web'));
    const key = '/registry/shop.example/widgets/west/w-1';
    const { record } = await registry.storage.get(key);
    await registry.storage.update(
      key,
      () => '{"kind":"Widget","apiVersion":"shop.example/v1","meta',
      record?.modRevision ?? 0,
    );
    await expect(store.list('', labels('app=web'))).rejects.toThrow('JSON');
    expect((await store.list('east', labels('app=web'))).records.length).toBe(15);
    const left: string[] = [];
    const { records } = await store.list('', { ...labels('app=db'), onUnreadable: ({ name }) => void left.push(name) });
    expect([records.length, left]).toEqual([14, ['w-1']]);
  });

  test('is not used beyond its share of the memory', async () => {
    const memory = new MemoryBudget({ historyBytes: 10_000 });
    registry = createRegistry({ storage: createMemoryStorage({ clock: createManualClock() }), memory });
    store = registry.store(Widget);
    for (let number = 0; number < COUNT; number += 1)
      await store.create(registry.context, namespaceOf(number), widget(number));
    await checkAll();
  });
});

test('watchers of an event read its labels once', async () => {
  await fill(createMemoryStorage({ clock: createManualClock() }));
  let read = 0;
  const versions = [1, 2].map((revision) => ({
    key: `k${revision}`,
    get text() {
      read += 1;
      return '{"metadata":{"labels":{"app":"web"}}}';
    },
    modRevision: revision,
    createRevision: 1,
    decoded: undefined,
  }));
  const reader = new RecordLabels();
  for (let watcher = 0; watcher < 10; watcher += 1)
    for (const version of versions) expect(reader.read(version)).toEqual({ app: 'web' });
  expect(read).toBe(2);
});

test('a selector of everything needs no filter', async () => {
  await fill(createMemoryStorage({ clock: createManualClock() }));
  const everything = { labelSelector: LabelSelector.everything, fieldSelector: FieldSelector.everything };
  expect(recordFilter(store, everything)).toBeUndefined();
});
