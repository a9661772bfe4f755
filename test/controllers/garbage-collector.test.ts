import { PROPORTIONAL, unitsOf } from '../support/units.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createControllers } from '../../src/apiserver/index.js';
import type { ObjectMeta, OwnerReference } from '../../src/foundation/objects/object.js';
import { ConfigMap, Event, EventEventsV1, Namespace } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { harness, kit, orAbsent, ownedBy, servedResources } from './harness.js';

const FOREGROUND = { propagationPolicy: 'Foreground' } as const;
const ORPHAN = { propagationPolicy: 'Orphan' } as const;

describe('background', () => {
  test('a dependent is deleted with its only owner, and its own dependents with it', async () => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    const a = await map('a');
    const b = await map('b', { ownerReferences: [ownedBy(a)] });
    await map('c', { ownerReferences: [ownedBy(b)] });
    await map('other');
    await h.settled();
    expect(await names()).toEqual(['a', 'b', 'c', 'other']);
    await maps.delete('a');
    await h.settled();
    expect(await names()).toEqual(['other']);
    expect(h.errors).toEqual([]);
  });

  test('with one owner left the dependent stays and loses the reference to the other', async () => {
    await using h = harness();
    const { map, maps } = kit(h.client);
    const a = await map('a');
    const b = await map('b');
    await map('c', { ownerReferences: [ownedBy(a), ownedBy(b)] });
    await h.settled();
    await maps.delete('a');
    await h.settled();
    expect((await maps.get('c')).metadata.ownerReferences).toEqual([ownedBy(b)]);
    await maps.delete('b');
    await h.settled();
    expect(await orAbsent(maps.get('c'))).toBeUndefined();
  });

  test.each<[string, (meta: ObjectMeta) => OwnerReference]>([
    [
      'never existed',
      () => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: '11111111-2222-4333-8444-555555555555' }),
    ],
    [
      'has the name but another uid',
      ({ name = '' }) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: '11111111-2222-4333-8444-555555555555' }),
    ],
    ['has the uid but another name', ({ uid = '' }) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: 'wrong', uid })],
  ])('an owner that %s is absent', async (_what, reference) => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    const a = await map('a');
    await h.settled();
    await map('b', { ownerReferences: [reference(a.metadata)] });
    await h.settled();
    expect(await names()).toEqual(['a']);
    expect(await maps.get('a')).toBeDefined();
  });

  test('an owner that was recreated under the same name is another one', async () => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    const a = await map('a');
    await map('b', { ownerReferences: [ownedBy(a)] });
    await h.settled();
    await maps.delete('a');
    await map('a');
    await h.settled();
    expect(await names()).toEqual(['a']);
  });

  test('objects created before the controllers started are collected too', async () => {
    await using h = harness();
    await h.controllers.stop();
    const { map, maps, names } = kit(h.client);
    const a = await map('a');
    await map('b', { ownerReferences: [ownedBy(a)] });
    await maps.delete('a');
    const later = createControllers({
      kinds: servedResources,
      dialect: h.server.dialect,
      clock: h.clock,
    });
    later.start(h.server.client());
    await later.settled();
    expect(await names()).toEqual([]);
    await later.stop();
  });

  test('an owner whose kind is not served keeps the dependent', async () => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    const a = await map('a');
    await map('b', {
      ownerReferences: [{ apiVersion: 'nowhere.example.com/v1', kind: 'Thing', name: 'x', uid: 'u-1' }, ownedBy(a)],
    });
    await maps.delete('a');
    await h.settled();
    expect(await names()).toEqual(['b']);
  });

  test('owner and dependent may be of different kinds and scopes', async () => {
    await using h = harness();
    const { map, realms, widgets, names } = kit(h.client);
    const realm = await realms.create({ metadata: { name: 'r' } });
    const widget = await widgets.create({ metadata: { name: 'w', ownerReferences: [ownedBy(realm)] } });
    await map('m', { ownerReferences: [ownedBy(widget)] });
    await realms.create({ metadata: { name: 'sub', ownerReferences: [ownedBy(realm)] } });
    await h.settled();
    expect(await names()).toEqual(['m']);
    await realms.delete('r');
    await h.settled();
    expect(await names()).toEqual([]);
    expect((await realms.list()).items).toEqual([]);
    expect((await widgets.list()).items).toEqual([]);
  });

  test('ownership is matched by uid, through any group that serves the owner', async () => {
    await using h = harness();
    const { map, names, events } = kit(h.client);
    const event = await events.create({
      metadata: { name: 'e' },
      involvedObject: { kind: 'ConfigMap', namespace: 'default', name: 'x' },
      source: {},
      reason: 'r',
    });
    const other = await h.client.resource(EventEventsV1).namespace('default').get('e');
    expect(other.metadata.uid).toBe(event.metadata.uid);
    await map('m', { ownerReferences: [ownedBy(other)] });
    await h.settled();
    expect(await names()).toEqual(['m']);
    await h.client.resource(Event).namespace('default').delete('e');
    await h.settled();
    expect(await names()).toEqual([]);
  });

  test('a dependent with a finalizer waits for it', async () => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    const a = await map('a');
    await map('b', { finalizers: ['example.com/hold'], ownerReferences: [ownedBy(a)] });
    await maps.delete('a');
    await h.settled();
    const b = await maps.get('b');
    expect(b.metadata.deletionTimestamp).toBeDefined();
    delete b.metadata.finalizers;
    await maps.update(b);
    await h.settled();
    expect(await names()).toEqual([]);
  });

  test('a dependent that gets another owner in time is kept', async () => {
    await using h = harness();
    const { map, maps } = kit(h.client);
    const a = await map('a');
    const c = await map('c');
    const b = await map('b', { ownerReferences: [ownedBy(a)] });
    await h.settled();
    await Promise.all([
      maps.delete('a'),
      maps.update({ ...b, metadata: { ...b.metadata, ownerReferences: [ownedBy(a), ownedBy(c)] } }),
    ]);
    await h.settled();
    expect((await maps.get('b')).metadata.ownerReferences).toEqual([ownedBy(c)]);
  });

  test('an existing orphan finalizer on the dependent is honoured', async () => {
    await using h = harness();
    const { map, maps } = kit(h.client);
    const a = await map('a');
    const b = await map('b', { finalizers: ['orphan'], ownerReferences: [ownedBy(a)] });
    await map('c', { ownerReferences: [ownedBy(b)] });
    await maps.delete('a');
    await h.settled();
    expect(await orAbsent(maps.get('b'))).toBeUndefined();
    expect((await maps.get('c')).metadata.ownerReferences).toBeUndefined();
  });
});

describe('foreground', () => {
  test('the owner is deleted after the dependents that block it', async () => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    const a = await map('a');
    await map('b', { finalizers: ['example.com/hold'], ownerReferences: [ownedBy(a, { blockOwnerDeletion: true })] });
    await map('c', { ownerReferences: [ownedBy(a)] });
    await h.settled();
    await maps.delete('a', FOREGROUND);
    await h.settled();
    expect(await names()).toEqual(['a', 'b']);
    expect((await maps.get('a')).metadata.finalizers).toEqual(['foregroundDeletion']);
    const b = await maps.get('b');
    expect(b.metadata.deletionTimestamp).toBeDefined();
    delete b.metadata.finalizers;
    await maps.update(b);
    await h.settled();
    expect(await names()).toEqual([]);
  });

  test('the owner does not wait for dependents that do not block, nor for its other finalizers', async () => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    const a = await map('a', { finalizers: ['example.com/own'] });
    await map('b', { finalizers: ['example.com/hold'], ownerReferences: [ownedBy(a)] });
    await h.settled();
    await maps.delete('a', FOREGROUND);
    await h.settled();
    expect(await names()).toEqual(['a', 'b']);
    expect((await maps.get('a')).metadata.finalizers).toEqual(['example.com/own']);
  });

  test('a whole tree is deleted from its leaves: dependents with dependents are deleted in the foreground', async () => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    const block = { blockOwnerDeletion: true };
    const a = await map('a');
    const b = await map('b', { ownerReferences: [ownedBy(a, block)] });
    await map('c', { finalizers: ['example.com/hold'], ownerReferences: [ownedBy(b, block)] });
    await h.settled();
    await maps.delete('a', FOREGROUND);
    await h.settled();
    expect((await maps.get('b')).metadata.finalizers).toEqual(['foregroundDeletion']);
    const c = await maps.get('c');
    delete c.metadata.finalizers;
    await maps.update(c);
    await h.settled();
    expect(await names()).toEqual([]);
  });

  test('a dependent with another owner only loses the reference', async () => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    const a = await map('a');
    const b = await map('b');
    await map('c', { ownerReferences: [ownedBy(a, { blockOwnerDeletion: true }), ownedBy(b)] });
    await h.settled();
    await maps.delete('a', FOREGROUND);
    await h.settled();
    expect(await names()).toEqual(['b', 'c']);
    expect((await maps.get('c')).metadata.ownerReferences).toEqual([ownedBy(b)]);
  });

  test('objects that own each other do not wait for ever', async () => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    const block = { blockOwnerDeletion: true };
    const a = await map('a');
    const b = await map('b', { ownerReferences: [ownedBy(a, block)] });
    await maps.update({ ...a, metadata: { ...a.metadata, ownerReferences: [ownedBy(b, block)] } });
    await h.settled();
    await maps.delete('a', FOREGROUND);
    await h.settled();
    expect(await names()).toEqual([]);
  });

  test('a dependent that stops blocking releases the owner', async () => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    const a = await map('a');
    await map('b', { finalizers: ['example.com/hold'], ownerReferences: [ownedBy(a, { blockOwnerDeletion: true })] });
    await h.settled();
    await maps.delete('a', FOREGROUND);
    await h.settled();
    const b = await maps.get('b');
    b.metadata.ownerReferences = [ownedBy(a)];
    await maps.update(b);
    await h.settled();
    expect(await names()).toEqual(['b']);
  });

  test('an object without dependents is deleted at once', async () => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    await map('a');
    await maps.delete('a', FOREGROUND);
    await h.settled();
    expect(await names()).toEqual([]);
  });
});

describe('orphan', () => {
  test('dependents lose the owner and stay', async () => {
    await using h = harness();
    const { map, maps, names, widgets } = kit(h.client);
    const a = await map('a');
    const other = await map('other');
    await map('b', { ownerReferences: [ownedBy(a), ownedBy(other)] });
    await widgets.create({ metadata: { name: 'w', ownerReferences: [ownedBy(a)] } });
    await maps.delete('a', ORPHAN);
    await h.settled();
    expect(await names()).toEqual(['b', 'other']);
    expect((await maps.get('b')).metadata.ownerReferences).toEqual([ownedBy(other)]);
    expect((await widgets.get('w')).metadata.ownerReferences).toBeUndefined();
    expect(h.errors).toEqual([]);
  });

  test('an owner with further finalizers keeps them', async () => {
    await using h = harness();
    const { map, maps } = kit(h.client);
    const a = await map('a', { finalizers: ['example.com/hold'] });
    await map('b', { ownerReferences: [ownedBy(a)] });
    await maps.delete('a', ORPHAN);
    await h.settled();
    expect((await maps.get('a')).metadata.finalizers).toEqual(['example.com/hold']);
    expect((await maps.get('b')).metadata.ownerReferences).toBeUndefined();
  });
});

describe('owners in other namespaces', () => {
  const foreign = async (h: ReturnType<typeof harness>) => {
    const here = kit(h.client);
    const there = kit(h.client, 'there');
    await here.namespaces.create({ metadata: { name: 'there' } });
    const owner = await there.map('owner');
    const dependent = await here.map('dependent', { ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })] });
    return { here, there, owner, dependent };
  };

  test('count as absent: the dependent is deleted, and an Event reports the reference once', async () => {
    await using h = harness();
    const { here, there, owner, dependent } = await foreign(h);
    await h.settled();
    expect(await here.names()).toEqual([]);
    expect(await there.names()).toEqual(['owner']);
    const { items } = await here.events.list();
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: ${owner.metadata.uid}] does not exist in namespace "default"`,
      involvedObject: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: 'default',
        name: 'dependent',
        uid: dependent.metadata.uid,
      },
      source: { component: 'garbage-collector-controller' },
    });
  });

  test('count as absent: the reference is removed where a valid owner stays', async () => {
    await using h = harness();
    const { here, there, owner } = await foreign(h);
    const local = await here.map('local');
    await here.map('shared', { ownerReferences: [ownedBy(owner), ownedBy(local)] });
    await h.settled();
    expect((await here.maps.get('shared')).metadata.ownerReferences).toEqual([ownedBy(local)]);
    await there.maps.delete('owner');
    await h.settled();
    expect(await here.names()).toEqual(['local', 'shared']);
  });

  /** Creates an object in `default` whose owner is in another namespace, on a server that is started as users do. */
  async function ownedFromElsewhere(test: TestServer) {
    const { client } = test;
    await client.resource(Namespace).create({ metadata: { name: 'there' } });
    const maps = client.resource(ConfigMap);
    const owner = await maps.namespace('there').create({ metadata: { name: 'owner' } });
    const here = maps.namespace('default');
    await here.create({ metadata: { name: 'dependent', ownerReferences: [ownedBy(owner)] } });
    await test.settled();
    return { here, owner };
  }

  test('also in a server as it starts by default', async () => {
    await using test = await startTestServer({ dialect: 'kubernetes' });
    const { here } = await ownedFromElsewhere(test);
    expect(await orAbsent(here.get('dependent'))).toBeUndefined();
  });

  test('ignored by a server with the option', async () => {
    await using test = await startTestServer({
      dialect: 'kubernetes',
      controllers: { crossNamespaceOwners: 'ignored' },
    });
    const { here, owner } = await ownedFromElsewhere(test);
    expect((await here.get('dependent')).metadata.ownerReferences).toEqual([ownedBy(owner)]);
  });

  test('ignored, if configured: an Event reports the reference, once, and the dependent stays', async () => {
    await using h = harness({ crossNamespaceOwners: 'ignored' });
    const { here, dependent } = await foreign(h);
    await h.settled();
    await here.maps.update({ ...dependent, metadata: { ...dependent.metadata, labels: { x: 'y' } } });
    await h.settled();
    expect(await here.names()).toEqual(['dependent']);
    expect((await here.events.list()).items.map(({ reason }) => reason)).toEqual(['OwnerRefInvalidNamespace']);
  });

  test('ignored: the end of the owner does not delete it either, and the dependent does not block it', async () => {
    await using h = harness({ crossNamespaceOwners: 'ignored' });
    const { here, there } = await foreign(h);
    await h.settled();
    await there.maps.delete('owner', FOREGROUND);
    await h.settled();
    expect(await there.names()).toEqual([]);
    expect(await here.names()).toEqual(['dependent']);
  });

  test.each(['ignored', 'absent'] as const)(
    'a cluster-scoped dependent of a namespaced owner stays (%s)',
    async (crossNamespaceOwners) => {
      await using h = harness({ crossNamespaceOwners });
      const { map, maps, realms, events } = kit(h.client);
      const owner = await map('owner');
      await realms.create({ metadata: { name: 'r', ownerReferences: [ownedBy(owner)] } });
      await h.settled();
      await maps.delete('owner');
      await h.settled();
      expect((await realms.list()).items.map(({ metadata }) => metadata.name)).toEqual(['r']);
      expect((await events.list()).items.map(({ reason, involvedObject }) => [reason, involvedObject.kind])).toEqual([
        ['OwnerRefInvalidNamespace', 'Realm'],
      ]);
    },
  );
});

describe('as a whole', () => {
  const plan = fc.record({
    owners: fc.array(fc.array(fc.nat(), { maxLength: 3 }), { minLength: 1, maxLength: 14 }),
    deletes: fc.array(fc.tuple(fc.nat(), fc.constantFrom('Background', 'Foreground'), fc.boolean()), { maxLength: 8 }),
    blocks: fc.boolean(),
  });

  test('the remainder of any graph is the set reachable from living owners', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async ({ owners, deletes, blocks }) => {
        await using h = harness();
        const { map, maps, names } = kit(h.client);
        const objects: Awaited<ReturnType<typeof map>>[] = [];
        const edges = owners.map((wanted, index) =>
          index === 0 ? [] : [...new Set(wanted.map((owner) => owner % index))],
        );
        for (const [index, of] of edges.entries()) {
          objects.push(
            await map(`n${index}`, {
              ownerReferences: of.flatMap((owner) => ownedBy(objects[owner] as never, { blockOwnerDeletion: blocks })),
            }),
          );
        }
        const deleted = new Set<number>();
        for (const [pick, propagationPolicy, wait] of deletes) {
          const index = pick % edges.length;
          deleted.add(index);
          await orAbsent(maps.delete(`n${index}`, { propagationPolicy }));
          if (wait) await h.settled();
        }
        await h.settled();
        const alive: boolean[] = [];
        for (const [index, of] of edges.entries())
          alive.push(!deleted.has(index) && (of.length === 0 || of.some((owner) => alive[owner])));
        expect(new Set(await names())).toEqual(
          new Set(edges.flatMap((_of, index) => (alive[index] ? [`n${index}`] : []))),
        );
        for (const [index, of] of edges.entries()) {
          if (!alive[index]) continue;
          const left = (await maps.get(`n${index}`)).metadata.ownerReferences ?? [];
          expect(left.map(({ name }) => name).sort()).toEqual(
            of
              .filter((owner) => alive[owner])
              .map((owner) => `n${owner}`)
              .sort(),
          );
        }
        expect(h.errors).toEqual([]);
      }),
      { numRuns: 60 },
    );
  }, 300_000);

  test.each(['Background', 'Foreground', 'Orphan'] as const)(
    'the cost is proportional to the number of dependents (%s)',
    async (propagationPolicy) => {
      const measure = async (count: number): Promise<number> => {
        await using h = harness();
        const { map, maps, names } = kit(h.client);
        const a = await map('a');
        const reference = ownedBy(a, { blockOwnerDeletion: true });
        for (let index = 0; index < count; index += 1) await map(`m${index}`, { ownerReferences: [reference] });
        await h.settled();
        const units = await unitsOf(async () => {
          await maps.delete('a', { propagationPolicy });
          await h.settled();
        });
        expect(await names()).toHaveLength(propagationPolicy === 'Orphan' ? count : 0);
        return units;
      };
      await measure(500);
      const small = await measure(500);
      // Each pause for others takes units too, and a busy machine makes more of them.
      const large = Math.min(await measure(2000), await measure(2000));
      expect(large / small, `500: ${small} units, 2000: ${large}`).toBeLessThan(PROPORTIONAL ** 2);
    },
    300_000,
  );
});
