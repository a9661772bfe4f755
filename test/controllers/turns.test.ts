/** While controllers work on thousands of objects, the event loop continues to turn for other work. */
import { describe, expect, test } from 'vitest';
import type { ObjectMeta, OwnerReference } from '../../src/foundation/objects/object.js';
import { ClusterRole, ResourceQuota } from '../../src/kinds/builtin/index.js';
import { turnsDuring } from '../support/turns.js';
import { harness, kit, ownedBy, type Harness } from './harness.js';

const MANY = 4_000;

async function fill({ client }: Harness, count: number, metadata: (index: number) => ObjectMeta): Promise<void> {
  const { maps } = kit(client);
  for (let index = 0; index < count; index += 1)
    await maps.create({ metadata: { name: `o${index}`, ...metadata(index) } });
}

const absent = (index: number): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  name: `absent-${index}`,
  uid: `u${index}`,
});

/** Work that takes much longer than a turn may, and the expected remaining objects. */
const cases: Readonly<
  Record<string, readonly [prepare: (world: Harness) => Promise<() => Promise<unknown>>, left: number]>
> = {
  'an owner of thousands is deleted': [
    async (world) => {
      const { maps, map } = kit(world.client);
      const owner = await map('owner');
      await fill(world, MANY, () => ({ ownerReferences: [ownedBy(owner)] }));
      return async () => {
        await maps.delete('owner');
        await world.settled();
      };
    },
    0,
  ],
  'thousands lose their owner and stay': [
    async (world) => {
      const { maps, map } = kit(world.client);
      const owner = await map('owner');
      await fill(world, MANY, () => ({ ownerReferences: [ownedBy(owner)] }));
      return async () => {
        await maps.delete('owner', { propagationPolicy: 'Orphan' });
        await world.settled();
      };
    },
    MANY,
  ],
  'an object beside thousands has two thousand missing owners': [
    async (world) => {
      const { map } = kit(world.client);
      await fill(world, 2 * MANY, () => ({}));
      await world.settled();
      return async () => {
        await map('dependent', { ownerReferences: Array.from({ length: 2_000 }, (_, index) => absent(index)) });
        await world.settled();
      };
    },
    2 * MANY,
  ],
  'two thousand objects beside thousands have missing owners': [
    async (world) => {
      const { map } = kit(world.client);
      await fill(world, 2 * MANY, () => ({}));
      await world.settled();
      return async () => {
        for (let index = 0; index < 2_000; index += 1) {
          await map(`dependent-${index}`, { ownerReferences: [absent(index)] });
          if (index % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
        }
        await world.settled();
      };
    },
    2 * MANY,
  ],
  'a collection of thousands is deleted': [
    async (world) => {
      await fill(world, MANY, () => ({}));
      return () => kit(world.client).maps.deleteCollection();
    },
    0,
  ],
};

describe('the event loop turns while', () => {
  test.each(Object.entries(cases))('%s', { timeout: 300_000 }, async (_what, [prepare, left]) => {
    await using world = harness();
    const run = await prepare(world);
    await world.settled();
    const turns = await turnsDuring(run);
    expect(world.errors).toEqual([]);
    expect(await kit(world.client).names()).toHaveLength(left);
    expect(turns).toBeGreaterThan(20);
  });

  test('a quota of thousands of resources is calculated', async () => {
    await using world = harness();
    await world.settled();
    const quotas = world.client.resource(ResourceQuota).namespace('default');
    const hard = Object.fromEntries(
      Array.from({ length: MANY }, (_, index) => [`count/things${index}.example.com`, '1']),
    );
    await quotas.create({ metadata: { name: 'long' }, spec: { hard: { ...hard, 'count/configmaps': '5' } } });
    expect(await turnsDuring(() => world.settled())).toBeGreaterThan(20);
    expect((await quotas.get('long')).status?.used).toEqual({ 'count/configmaps': '0' });
    expect(world.errors).toEqual([]);
  });

  test('the rules of roles are aggregated', async () => {
    await using world = harness();
    await world.settled();
    const roles = world.client.resource(ClusterRole);
    const rules = Array.from({ length: MANY }, (_, index) => ({
      ...{ verbs: ['get'], apiGroups: [''], resources: [`things${index}`] },
    }));
    const labels = { part: 'yes' };
    await roles.create({ metadata: { name: 'part', labels }, rules });
    await roles.create({
      metadata: { name: 'whole' },
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
      rules: [],
    });
    expect(await turnsDuring(() => world.settled())).toBeGreaterThan(20);
    expect((await roles.get('whole')).rules).toHaveLength(MANY);
    expect(world.errors).toEqual([]);
  });
});
