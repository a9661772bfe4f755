import { describe, expect, test } from 'vitest';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { createManualClock } from '../../../src/entries/testing.js';
import { FailingStorage } from '../../support/failing-storage.js';
import { keptOpenStorage } from '../../support/kept-open-storage.js';
import { laggingStorage } from '../../support/lagging-storage.js';
import { definition, refusal, startWorld, version } from './world.js';

const WIDGETS = 'widgets.example.com';
const ESTABLISHED = 'Established=True InitialNamesAccepted: the initial names have been accepted';

/** Waits in turns of the event loop until a condition holds: code is loaded outside of the test's time. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (performance.now() < deadline) {
    if (await holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the condition never held');
}

describe('with a storage whose events come late', () => {
  const lagging = () => laggingStorage(createMemoryStorage({ clock: createManualClock() }));

  test('a kind is served once its definition is established', async () => {
    await using world = await startWorld({ storage: lagging() });
    for (let index = 0; index < 10; index += 1) {
      const kind = `Widget${'abcdefghij'.charAt(index)}`;
      const { metadata } = await world.definitions.create(definition({ kind }));
      const name = metadata.name ?? '';
      await until(async () => (await world.conditions(name)).includes(ESTABLISHED));
      expect((await world.kind(kind).list()).items).toEqual([]);
    }
  });

  test('a name is accepted once', async () => {
    await using world = await startWorld({ storage: lagging() });
    await world.define({ kind: 'Other' });
    const plurals = ['as', 'bs', 'cs', 'ds', 'es'];
    await Promise.all(
      plurals.map((plural) => world.definitions.create(definition({ plural, names: { singular: plural.charAt(0) } }))),
    );
    await world.settled();
    const states = await Promise.all(plurals.map((plural) => world.conditions(`${plural}.example.com`)));
    expect(states.filter((conditions) => conditions.includes(ESTABLISHED))).toHaveLength(1);
  });

  test('a deleted definition goes with all objects, also those created meanwhile', async () => {
    await using world = await startWorld({ storage: lagging() });
    await world.define({});
    const widgets = world.kind().namespace('default');
    const creating = (async () => {
      for (let index = 0; index < 200; index += 1)
        await widgets.create({ metadata: { name: `w-${index}` } }).catch(() => undefined);
    })();
    await world.definitions.delete(WIDGETS);
    await creating;
    await until(async () => (await world.definitions.list()).items.length === 0);
    await world.define({});
    expect((await widgets.list()).items).toEqual([]);
    expect(world.logged).toEqual([]);
  });
});

describe('servers on one store', () => {
  test('serve the kinds of each other, and finish the deletions of each other', async () => {
    const storage = keptOpenStorage(createManualClock());
    await using two = await startWorld({ storage, seed: 2 });
    {
      await using one = await startWorld({ storage, seed: 1, controllers: { disable: [] } });
      await one.define({});
      await one
        .kind()
        .namespace('default')
        .create({ metadata: { name: 'w' } });
      expect((await two.kind().list()).items).toHaveLength(1);
      await one.change(WIDGETS, (spec) => void spec.versions?.push(version('v2', undefined, { storage: false })));
      expect((await two.kind('Widget', 'example.com/v2').list()).items).toHaveLength(1);
    }
    await two
      .kind()
      .namespace('default')
      .patch('w', { metadata: { finalizers: ['example.com/hold'] } });
    await two.definitions.delete(WIDGETS);
    await two.settled();
    expect((await two.conditions(WIDGETS)).at(-1)).toContain('InstanceDeletionInProgress');
    await two
      .kind()
      .namespace('default')
      .patch('w', { metadata: { finalizers: null } } as object);
    await two.settled();
    expect((await two.definitions.list()).items).toEqual([]);
  });

  test('go on with what another one began', async () => {
    const storage = keptOpenStorage(createManualClock());
    {
      await using one = await startWorld({ storage, controllers: { disable: ['customresourcedefinition'] } });
      await one.define({}, { kind: 'Gadget' });
      await one.definitions.delete('gadgets.example.com');
    }
    await using two = await startWorld({ storage });
    expect(await two.conditions(WIDGETS)).toContain(ESTABLISHED);
    expect((await two.definitions.list()).items).toHaveLength(1);
  });
});

test('a definition that cannot be read does not keep the others from being served', async () => {
  const storage = keptOpenStorage(createManualClock());
  const prefix = '/registry/apiextensions.k8s.io/customresourcedefinitions';
  {
    await using world = await startWorld({ storage });
    await world.define({});
  }
  const type = '"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1"';
  const [{ key } = { key: '' }] = (await storage.list('/registry/')).records.filter((record) =>
    record.key.endsWith(`/${WIDGETS}`),
  );
  const folder = key.slice(0, key.lastIndexOf('/'));
  expect(folder.length).toBeLessThanOrEqual(prefix.length);
  await storage.create(`${folder}/a.example.com`, () => `{${type},"metadata":{"name":"a.example.com"}}`);
  await storage.create(
    `${folder}/b.example.com`,
    () => `{${type},"metadata":{"name":"b.example.com"},"spec":{"group":"example.com"},"status":{"conditions":7}}`,
  );
  await storage.create(`${folder}/c.example.com`, () => 'nonsense');
  await using world = await startWorld({ storage, controllers: { disable: ['customresourcedefinition'] } });
  expect((await world.kind().list()).items).toEqual([]);
  expect(world.logged.length).toBeGreaterThanOrEqual(3);
});

test('kinds stay served while the storage fails, and changes arrive afterwards', async () => {
  const failing = new FailingStorage(createMemoryStorage({ clock: createManualClock() }));
  await using world = await startWorld({ storage: failing.storage });
  await world.define({});
  failing.works = 'nothing';
  expect(await refusal(world.kind().list())).toMatch(/^500 ServerTimeout/);
  expect(await refusal(world.definitions.create(definition({ kind: 'Gadget' })))).toMatch(/^500 ServerTimeout/);
  failing.works = 'everything';
  await world.definitions.create(definition({ kind: 'Gadget' }));
  await world.clock.advance(60_000);
  await world.settled();
  expect((await world.kind('Gadget').list()).items).toEqual([]);
  expect((await world.kind().list()).items).toEqual([]);
});

test('a server closes while definitions are established and deleted', async () => {
  for (const turns of [0, 1, 3, 7, 15, 40]) {
    const world = await startWorld({ storage: laggingStorage(createMemoryStorage({ clock: createManualClock() })) });
    await world.define({});
    await world
      .kind()
      .namespace('default')
      .create({ metadata: { name: 'w', finalizers: ['example.com/hold'] } });
    const pending = [world.definitions.create(definition({ kind: 'Gadget' })), world.definitions.delete(WIDGETS)].map(
      (request) => request.catch(() => undefined),
    );
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await world.close();
    await Promise.all(pending);
    expect(world.clock.pending).toBe(0);
  }
});
