import { describe, expect, test } from 'vitest';
import { controllersOffByDefault, controllersOfTests } from '../../src/apiserver/controllers/controller-table.js';
import { harness, kit, ownedBy } from './harness.js';

describe('the controllers', () => {
  test('of tests are off by default on other servers', () => {
    expect(controllersOffByDefault).toEqual(expect.arrayContaining([...controllersOfTests]));
    expect(controllersOffByDefault).toEqual(expect.arrayContaining(['tokencleaner', 'bootstrapsigner']));
    expect(controllersOfTests).not.toContain('tokencleaner');
  });

  test('settled waits for consequences of consequences', async () => {
    await using h = harness();
    const { namespaces } = kit(h.client);
    for (let round = 0; round < 5; round += 1) {
      const inside = kit(h.client, `n${round}`);
      await namespaces.create({ metadata: { name: `n${round}` } });
      let owner = await inside.map('m0');
      for (let index = 1; index < 10; index += 1)
        owner = await inside.map(`m${index}`, { ownerReferences: [ownedBy(owner)] });
      const deleted = inside.maps.delete('m0');
      await inside.widgets.create({ metadata: { name: 'w' } });
      await deleted;
      await h.settled();
      expect(await inside.names()).toEqual([]);
      expect((await inside.accounts.list()).items).toHaveLength(1);
    }
  });

  test('settled does not wait for timers', async () => {
    await using h = harness();
    const { namespaces } = kit(h.client);
    await namespaces.create({ metadata: { name: 'held' } });
    await kit(h.client, 'held').map('m', { finalizers: ['example.com/hold'] });
    await namespaces.delete('held');
    await h.settled();
    await h.settled();
    expect((await namespaces.get('held')).status?.phase).toBe('Terminating');
  });

  test('settled works during other writes', async () => {
    await using h = harness();
    const { map, maps, names } = kit(h.client);
    let writing = true;
    const writer = (async () => {
      for (let index = 0; writing && index < 5000; index += 1) {
        await map(`busy-${index}`);
        await maps.delete(`busy-${index}`);
      }
    })();
    const a = await map('a');
    await map('b', { ownerReferences: [ownedBy(a)] });
    await maps.delete('a');
    await h.settled();
    expect(await names()).not.toContain('b');
    writing = false;
    await writer;
  });

  test('after stop no work is done and no timer is left', async () => {
    await using h = harness();
    const { map, maps, names, namespaces } = kit(h.client);
    await namespaces.create({ metadata: { name: 'held' } });
    await kit(h.client, 'held').map('m', { finalizers: ['example.com/hold'] });
    await namespaces.delete('held');
    const a = await map('a');
    await map('b', { ownerReferences: [ownedBy(a)] });
    await h.settled();
    await h.controllers.stop();
    const pending = h.clock.pending;
    await maps.delete('a');
    await h.settled();
    expect(await names()).toEqual(['b']);
    expect(h.clock.pending).toBe(pending);
    await h.server.close();
    expect(h.clock.pending).toBe(0);
  });

  test('stop right after start, and stop without start, both end', async () => {
    await using h = harness();
    await h.controllers.stop();
    await h.controllers.stop();
    h.controllers.start(h.client);
    await h.settled();
    expect((await kit(h.client).accounts.list()).items).toEqual([]);
  });
});
