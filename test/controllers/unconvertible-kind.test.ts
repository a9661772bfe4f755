import { describe, expect, test } from 'vitest';
import { silentLogger } from '../../src/foundation/reporting/logger.js';
import type { JsonObject } from '../../src/foundation/json/json.js';
import { ConfigMap, CustomResourceDefinition, Namespace, ResourceQuota } from '../../src/kinds/builtin/index.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';
import { BY_FUNCTION, convertedHost, hostDefinition, HOSTS } from '../kinds/custom/hosts.js';
import { orAbsent, ownedBy } from './harness.js';

/** A server with a custom kind, one object of which is stored in another version than controllers read. */
class World implements AsyncDisposable {
  readonly test: TestServer;
  readonly #conversion: { works: boolean };

  private constructor(test: TestServer, conversion: { works: boolean }) {
    this.test = test;
    this.#conversion = conversion;
  }

  static async start(): Promise<World> {
    const conversion = { works: true };
    const test = await startTestServer({
      dialect: 'kubernetes',
      observability: { logger: silentLogger },
      conversionWebhooks: {
        [HOSTS](objects, apiVersion) {
          if (!conversion.works) throw new Error('broken');
          return objects.map((object) => convertedHost(object, apiVersion));
        },
      },
    });
    const definitions = test.client.resource(CustomResourceDefinition);
    await definitions.create(hostDefinition(BY_FUNCTION, 'v1beta1') as never);
    await test.settled();
    return new World(test, conversion);
  }

  hosts(namespace = 'default') {
    return this.test.client.resource({ apiVersion: 'example.com/v1beta1', kind: 'Host' }).namespace(namespace);
  }

  maps(namespace = 'default') {
    return this.test.client.resource(ConfigMap).namespace(namespace);
  }

  async names(): Promise<(string | undefined)[]> {
    return (await this.maps().list()).items.map(({ metadata }) => metadata.name);
  }

  /** Stores an object that controllers, which read version v1, cannot read. */
  async breakConversion(namespace = 'default', metadata: JsonObject = {}): Promise<void> {
    await this.hosts(namespace).create({ metadata: { name: 'h', ...metadata }, spec: { host: 'h' } });
    this.#conversion.works = false;
  }

  repair(): void {
    this.#conversion.works = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.test.close();
  }
}

describe('a kind whose conversion fails does not hold up', () => {
  test('the collection of other objects, from the start of the collector on', async () => {
    await using world = await World.start();
    await world.breakConversion();
    const owner = await world.maps().create({ metadata: { name: 'owner' } });
    await world.maps().create({ metadata: { name: 'dependent', ownerReferences: [ownedBy(owner)] } });
    await world.maps().delete('owner');
    await world.test.settled();
    expect(await world.names()).toEqual([]);
  });

  test('the collection of other objects, when it breaks later', async () => {
    await using world = await World.start();
    const first = await world.maps().create({ metadata: { name: 'first' } });
    await world.maps().create({ metadata: { name: 'dependent', ownerReferences: [ownedBy(first)] } });
    await world.test.settled();
    await world.breakConversion();
    await world.maps().delete('first');
    await world.test.settled();
    expect(await world.names()).toEqual([]);
  });

  test('the end of an owner that orphans its dependents', async () => {
    await using world = await World.start();
    await world.breakConversion();
    const owner = await world.maps().create({ metadata: { name: 'owner' } });
    await world.maps().create({ metadata: { name: 'dependent', ownerReferences: [ownedBy(owner)] } });
    await world.maps().delete('owner', { propagationPolicy: 'Orphan' });
    await world.test.settled();
    expect(await world.names()).toEqual(['dependent']);
    expect((await world.maps().get('dependent')).metadata.ownerReferences).toBeUndefined();
  });

  test('its own collection once the conversion works again', async () => {
    await using world = await World.start();
    const owner = await world.maps().create({ metadata: { name: 'owner' } });
    await world.test.settled();
    await world.breakConversion('default', { ownerReferences: [ownedBy(owner) as never] });
    await world.maps().delete('owner');
    await world.test.settled();
    world.repair();
    await world.test.settled();
    expect(await orAbsent(world.hosts().get('h'))).toBeUndefined();
  });

  test('quotas, except for the number of its own objects', async () => {
    await using world = await World.start();
    await world.breakConversion();
    const quotas = world.test.client.resource(ResourceQuota).namespace('default');
    const counted = 'count/hosts.example.com';
    for (const index of [1, 2, 3, 4, 5, 6])
      await quotas.create({
        metadata: { name: `both-${index}` },
        spec: { hard: { [counted]: '5', 'count/configmaps': '9' } },
      });
    await quotas.create({ metadata: { name: 'maps' }, spec: { hard: { 'count/configmaps': '9' } } });
    await world.maps().create({ metadata: { name: 'a' } });
    await world.test.settled();
    expect((await quotas.get('maps')).status?.used).toEqual({ 'count/configmaps': '1' });
    expect((await quotas.get('both-6')).status?.used).toEqual({ 'count/configmaps': '1' });
    world.repair();
    await world.test.settled();
    expect((await quotas.get('both-6')).status?.used).toEqual({ 'count/configmaps': '1', [counted]: '1' });
  });

  test('the deletion of other namespaces, nor of the other content of its own', async () => {
    await using world = await World.start();
    const namespaces = world.test.client.resource(Namespace);
    for (const name of ['held', 'free']) {
      await namespaces.create({ metadata: { name } });
      await world.maps(name).create({ metadata: { name: 'a' } });
    }
    await world.breakConversion('held');
    await namespaces.delete('held');
    await namespaces.delete('free');
    await world.test.settled();
    expect(await orAbsent(namespaces.get('free'))).toBeUndefined();
    expect((await world.maps('held').list()).items).toEqual([]);
    const conditions = (await namespaces.get('held')).status?.conditions ?? [];
    expect(conditions.find(({ type }) => type === 'NamespaceDeletionContentFailure')).toMatchObject({ status: 'True' });
    world.repair();
    await world.test.advance(60_000);
    expect(await orAbsent(namespaces.get('held'))).toBeUndefined();
  });
});
