/** Controllers of a server that lacks the key of some values: they lose nothing, and go on once they can read. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  ConfigMap,
  Deployment,
  Namespace,
  Pod,
  ReplicaSet,
  ResourceQuota,
  Secret,
} from '../../src/kinds/builtin/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createManualClock } from '../../src/testing/time/manual-clock.js';
import { sealable, type SealedStorage } from '../support/sealed-storage.js';
import { silentLogger, type ObjectMeta } from '../../src/foundation/index.js';
import { PATIENCE } from '../support/patience.js';
import { harness, orAbsent, ownedBy, type Harness } from './harness.js';

const ORPHAN = { propagationPolicy: 'Orphan' } as const;
const A_MINUTE = 60_000;
/** The code of all controllers is loaded during the first test. */
const LONG_PATIENCE = { ...PATIENCE, timeout: 60_000 };
/** Turns of the event loop in which work that nothing waits for would have been done. */
const TURNS = 100;

let store: SealedStorage;
let running: Harness;

const start = (): void => {
  const storage = { ...store.storage, close: () => Promise.resolve() };
  running = harness({ enabled: ['deployment', 'replicaset'] }, { storage, observability: { logger: silentLogger } });
};
beforeEach(() => {
  store = sealable(createMemoryStorage({ clock: createManualClock() }));
  start();
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await store.storage.close();
});

/** Makes a version of a key that only another server can read. */
async function seal(key: string): Promise<void> {
  const { storage, sealed } = store;
  const { record } = await storage.get(key);
  if (record === undefined) throw new Error(`nothing is stored under ${key}`);
  sealed.add(key);
  const text = (revision: number): string =>
    record.text.replace(/"resourceVersion":"\d+"/, `"resourceVersion":"${revision}"`);
  await storage.update(key, text, record.modRevision);
}

/** Starts the server again on its store. */
async function restart(): Promise<void> {
  await running[Symbol.asyncDispose]();
  start();
}

/** Lets what waits for its next attempt run. */
async function later(): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    running.clock.advance(A_MINUTE);
    await turns();
  }
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Lets time pass until something holds. */
const until = (holds: () => Promise<void>): Promise<void> =>
  vi.waitFor(async () => {
    running.clock.advance(A_MINUTE);
    await holds();
  }, LONG_PATIENCE);

const secrets = (namespace = 'default') => running.client.resource(Secret).namespace(namespace);

const kit = () => {
  const maps = running.client.resource(ConfigMap).namespace('default');
  return {
    maps,
    map: (name: string, metadata: ObjectMeta = {}) => maps.create({ metadata: { name, ...metadata } }),
    names: async () => (await maps.list()).items.map(({ metadata }) => metadata.name),
  };
};

const mapKey = (name: string): string => `/registry/configmaps/default/${name}`;

describe.each([
  ['while the server runs', () => Promise.resolve()],
  ['from its start on', restart],
])('%s', { timeout: 180_000 }, (_when, then) => {
  test('the dependents of an owner that cannot be read stay', async () => {
    const owner = await secrets().create({ metadata: { name: 'owner' } });
    await kit().map('a', { ownerReferences: [ownedBy(owner)] });
    await running.settled();
    await seal('/registry/secrets/default/owner');
    await then();
    const { map, names, maps } = kit();
    await map('b', { ownerReferences: [ownedBy(owner)] });
    await maps.patch('a', { data: { changed: 'yes' } });
    await later();
    expect(await names()).toEqual(['a', 'b']);
    store.sealed.clear();
    await later();
    expect(await names()).toEqual(['a', 'b']);
    await secrets().delete('owner');
    await until(async () => expect(await names()).toEqual([]));
  });

  test('an owner that orphans its dependents waits for one that cannot be read', async () => {
    const owner = await kit().map('owner');
    await secrets().create({ metadata: { name: 'a', ownerReferences: [ownedBy(owner)] } });
    await running.settled();
    await seal('/registry/secrets/default/a');
    await then();
    const { maps } = kit();
    await maps.delete('owner', ORPHAN);
    await later();
    expect((await maps.get('owner')).metadata.finalizers).toEqual(['orphan']);
    store.sealed.clear();
    await until(async () => expect(await orAbsent(maps.get('owner'))).toBeUndefined());
    expect((await secrets().get('a')).metadata.ownerReferences).toBeUndefined();
  });

  test('settling says what cannot be read, and works again once it can', async () => {
    const labels = { app: 'a' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const sets = running.client.resource(ReplicaSet).namespace('default');
    await sets.create({ metadata: { name: 'a' }, spec: { replicas: 0, selector: { matchLabels: labels }, template } });
    await running.settled();
    const { records } = await store.storage.list('/registry/');
    await seal(records.find(({ key }) => key.endsWith('/replicasets/default/a'))?.key ?? '');
    await then();
    await expect(running.settled()).rejects.toThrow('unable to transform key');
    store.sealed.clear();
    await running.settled();
  });

  test('a deployment keeps its replica sets and pods', async () => {
    const labels = { app: 'a' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const deployments = () => running.client.resource(Deployment).namespace('default');
    const spec = { replicas: 2, selector: { matchLabels: labels }, template };
    await deployments().create({ metadata: { name: 'd' }, spec });
    const sets = () => running.client.resource(ReplicaSet).namespace('default').list();
    const pods = () => running.client.resource(Pod).namespace('default').list();
    const uidsOf = async (list: () => ReturnType<typeof sets | typeof pods>): Promise<unknown> =>
      (await list()).items.map(({ metadata }) => metadata.uid);
    await until(async () => expect((await pods()).items).toHaveLength(2));
    await running.settled();
    const before = [await uidsOf(sets), await uidsOf(pods)];
    const [set] = (await sets()).items;
    const { records } = await store.storage.list('/registry/');
    await seal(records.find(({ key }) => key.endsWith(`/replicasets/default/${set?.metadata.name}`))?.key ?? '');
    await then();
    await deployments().patch('d', { metadata: { annotations: { changed: 'yes' } } });
    await later();
    expect(await uidsOf(pods)).toEqual(before[1]);
    store.sealed.clear();
    await later();
    expect([await uidsOf(sets), await uidsOf(pods)]).toEqual(before);
    await deployments().patch('d', { spec: { replicas: 3 } });
    await until(async () => expect((await pods()).items).toHaveLength(3));
  });

  test('a namespace stays as long as it has something that cannot be read', async () => {
    const namespaces = () => running.client.resource(Namespace);
    await namespaces().create({ metadata: { name: 'held' } });
    for (const name of ['a', 'b']) await secrets('held').create({ metadata: { name } });
    await running.settled();
    await seal('/registry/secrets/held/b');
    await then();
    await namespaces().delete('held');
    await until(async () => expect((await namespaces().get('held')).status?.conditions).toBeDefined());
    await later();
    const { status } = await namespaces().get('held');
    expect(status?.phase).toBe('Terminating');
    const condition = status?.conditions?.find(({ type }) => type === 'NamespaceDeletionContentFailure');
    expect(condition).toMatchObject({ status: 'True', reason: 'ContentDeletionFailed' });
    expect(condition?.message).toContain('unable to transform key "/registry/secrets/held/b"');
    const { records } = await store.storage.list('/registry/secrets/held/', { acceptsUnreadable: true });
    expect(records.map(({ key }) => key)).toContain('/registry/secrets/held/b');
    store.sealed.clear();
    await until(async () => expect(await orAbsent(namespaces().get('held'))).toBeUndefined());
  });

  test('a quota admits no more than before', async () => {
    const quotas = () => running.client.resource(ResourceQuota).namespace('default');
    await secrets().create({ metadata: { name: 'a' } });
    await quotas().create({ metadata: { name: 'q' }, spec: { hard: { secrets: '2', 'count/configmaps': '5' } } });
    await running.settled();
    await seal('/registry/secrets/default/a');
    await then();
    await later();
    await secrets().create({ metadata: { name: 'b' } });
    await expect(secrets().create({ metadata: { name: 'c' } })).rejects.toMatchObject({ code: 403 });
    await later();
    const usedOf = async (): Promise<unknown> => (await quotas().get('q')).status?.used;
    expect(await usedOf()).toMatchObject({ secrets: '2' });
    store.sealed.clear();
    await secrets().delete('a');
    await until(async () => expect(await usedOf()).toMatchObject({ secrets: '1' }));
  });
});

test('the dependents of an owner whose value is damaged stay until it is gone', async () => {
  const { map, names } = kit();
  const owner = await map('owner');
  await map('a', { ownerReferences: [ownedBy(owner)] });
  await running.settled();
  const { storage } = store;
  const { record } = await storage.get(mapKey('owner'));
  const damaged = await storage.update(mapKey('owner'), () => 'nonsense', record?.modRevision ?? 0);
  await later();
  const inStore = async (): Promise<string[]> =>
    (await storage.list('/registry/configmaps/default/')).records.map(({ key }) => key);
  expect(await inStore()).toContain(mapKey('a'));
  await storage.delete(mapKey('owner'), () => 'nonsense', damaged.modRevision);
  await until(async () => expect(await names()).toEqual([]));
});

test('the owner of a dependent whose value is damaged does not orphan it before it can be read', async () => {
  const { map, maps } = kit();
  const owner = await secrets().create({ metadata: { name: 'owner' } });
  await map('a', { ownerReferences: [ownedBy(owner)] });
  await running.settled();
  const { storage } = store;
  const { record } = await storage.get(mapKey('a'));
  const text = record?.text ?? '';
  const damaged = await storage.update(mapKey('a'), () => 'nonsense', record?.modRevision ?? 0);
  await secrets().delete('owner', ORPHAN);
  await later();
  expect((await secrets().get('owner')).metadata.finalizers).toEqual(['orphan']);
  const repaired = (revision: number): string =>
    text.replace(/"resourceVersion":"\d+"/, `"resourceVersion":"${revision}"`);
  await storage.update(mapKey('a'), repaired, damaged.modRevision);
  await until(async () => expect(await orAbsent(secrets().get('owner'))).toBeUndefined());
  expect((await maps.get('a')).metadata.ownerReferences).toBeUndefined();
});

test('an owner does not orphan its dependents without one that can be read just before it would', async () => {
  const owner = await kit().map('owner');
  await secrets().create({ metadata: { name: 'a', ownerReferences: [ownedBy(owner)] } });
  await running.settled();
  await seal('/registry/secrets/default/a');
  const list = store.storage.list.bind(store.storage);
  let looks = 0;
  store.storage.list = async (prefix, options) => {
    // Only the look for dependents that cannot be read lists the Secrets of a namespace.
    if (prefix === '/registry/secrets/default/') {
      looks += 1;
      store.sealed.clear();
    }
    // The collector learns later that it can be read.
    if (prefix === '/registry/secrets/' && looks > 0) await turns();
    return list(prefix, options);
  };
  await restart();
  await kit().maps.delete('owner', ORPHAN);
  await until(async () => expect(await orAbsent(kit().maps.get('owner'))).toBeUndefined());
  expect(looks).toBeGreaterThan(0);
  expect((await secrets().get('a')).metadata.ownerReferences).toBeUndefined();
});
