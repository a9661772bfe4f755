import { describe, expect, test } from 'vitest';
import { createSimulation } from '../../src/entries/controllers.js';
import { ApiServer, ConfigMap, defineResource, Pod } from '../../src/entries/index.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createManualClock, seededEntropy } from '../../src/entries/testing.js';
import * as z from 'zod';
import { ask, jsonOf } from './ask.js';

const maps = (server: ApiServer) => server.client().resource(ConfigMap).namespace('default');
const names = async (server: ApiServer): Promise<(string | undefined)[]> =>
  (await maps(server).list()).items.map(({ metadata }) => metadata.name);
const create = (server: ApiServer, name: string) => maps(server).create({ metadata: { name } });

const Box = defineResource({
  group: 'boxes.example.com',
  version: 'v1',
  kind: 'Box',
  plural: 'boxes',
  scope: 'Namespaced',
  schema: () => z.object({ spec: z.object({ size: z.number() }) }),
});

describe('a snapshot of a server', () => {
  test('is the state at which several servers begin', async () => {
    await using server = new ApiServer();
    await create(server, 'a');
    const snapshot = await server.snapshot();
    await create(server, 'b');
    await using one = await server.fork({}, snapshot);
    await using two = new ApiServer({}, snapshot);
    await create(one, 'c');
    expect([await names(server), await names(one), await names(two)]).toEqual([['a', 'b'], ['a', 'c'], ['a']]);
    await server.restore(snapshot);
    expect(await names(server)).toEqual(['a']);
  });

  test('is not combined with a storage', async () => {
    await using server = new ApiServer();
    const snapshot = await server.snapshot();
    const storage = createMemoryStorage({ clock: createManualClock() });
    expect(() => new ApiServer({ storage }, snapshot)).toThrow(/begins with a snapshot has its storage: omit/);
    await storage.close();
  });

  test('has the kinds that were added in code, and keeps them apart from then on', async () => {
    await using server = new ApiServer();
    server.resources.add(Box);
    const boxes = (of: ApiServer) => of.client().resource(Box).namespace('default');
    await boxes(server).create({ metadata: { name: 'b' }, spec: { size: 1 } });
    await using fork = await server.fork();
    fork.resources.remove(Box);
    expect(() => boxes(fork)).toThrow(/not served/);
    expect((await boxes(server).get('b')).spec.size).toBe(1);
    expect(server.resources.find({ apiVersion: 'boxes.example.com/v1', kind: 'Box' })?.scope).toBe('Namespaced');
    expect(fork.resources.find({ apiVersion: 'boxes.example.com/v1', kind: 'Box' })).toBeUndefined();
    fork.resources.add(Box);
    expect((await boxes(fork).get('b')).spec.size).toBe(1);
  });
});

describe('a restored server', () => {
  test('answers the requests of its target and its clients from the restored state', async () => {
    await using server = new ApiServer({ dialect: 'kubernetes', authentication: { ownerToken: 'owner' } });
    const client = maps(server);
    await create(server, 'a');
    const { target } = server;
    const snapshot = await server.snapshot();
    await create(server, 'b');
    const list = async (): Promise<number> => {
      const answer = await ask({ target }, 'GET', '/api/v1/namespaces/default/configmaps', {
        token: 'owner',
      });
      return ((await jsonOf(answer)) as { items: unknown[] }).items.length;
    };
    expect(await list()).toBe(2);
    await server.restore(snapshot);
    expect(await list()).toBe(1);
    expect((await client.list()).items).toHaveLength(1);
    expect(server.kubeConfig()).toContain('token: owner');
    const { metadata } = await client.create({ metadata: { name: 'c' } });
    await server.restore(snapshot);
    expect((await client.create({ metadata: { name: 'd' } })).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  test('does not see the writes of controllers that worked on the state before', async () => {
    const clock = createManualClock();
    const simulation = createSimulation();
    await using server = new ApiServer({ clock, entropy: seededEntropy(0), simulation });
    const snapshot = await server.snapshot();
    const pods = server.client().resource(Pod).namespace('default');
    for (let round = 0; round < 3; round += 1) {
      await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
      // The scheduler and the agents are still working.
      await server.restore(snapshot);
      await clock.settle();
      await server.settled();
      expect((await pods.list()).items).toEqual([]);
    }
    await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
    await server.settled();
    expect((await pods.get('p')).status?.phase).toBe('Running');
  });

  test('can be restored again while it is being restored', async () => {
    await using server = new ApiServer();
    const snapshot = await server.snapshot();
    await create(server, 'a');
    await Promise.all([server.restore(snapshot), server.restore(snapshot), server.restore(snapshot)]);
    expect(await names(server)).toEqual([]);
  });

  test('leaves no timer on its clock when it closes', async () => {
    const clock = createManualClock();
    const server = new ApiServer({ clock, simulation: createSimulation({ heartbeats: true }) });
    const snapshot = await server.snapshot();
    await server.settled();
    await server.restore(snapshot);
    await create(server, 'a');
    await server.settled();
    expect(clock.pending).toBeGreaterThan(0);
    await server.close();
    expect(clock.pending).toBe(0);
    await expect(server.restore(snapshot)).rejects.toThrow(/closed/);
    await expect(server.snapshot()).rejects.toThrow(/closed/);
  });
});
