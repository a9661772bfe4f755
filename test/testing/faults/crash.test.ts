import { describe, expect, test } from 'vitest';
import { ConfigMap, Deployment } from '../../../src/entries/index.js';
import { startTestServer } from '../../../src/entries/testing.js';
import { listen } from '../../../src/transport/node/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';

const DEFAULT = 'default';
const LOST = { code: 'ECONNRESET' };

describe('a crash', () => {
  test.each(['kept', 'lost'] as const)('keeps what was acknowledged; the last write is %s', async (lastWrite) => {
    await using test = await startTestServer({ controllers: { disable: ['serviceaccount'] } });
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    const watching = (async () => {
      for await (const _event of maps.watch()) continue;
    })();
    const cut = expect(watching).rejects.toMatchObject(LOST);
    await test.settled();
    const crash = test.faults.crash({ afterWrites: 2, lastWrite });
    await maps.create({ metadata: { name: 'a' } });
    await maps.create({ metadata: { name: 'b' } });
    await expect(maps.create({ metadata: { name: 'c' } })).rejects.toMatchObject(LOST);
    await crash.crashed;
    await expect(maps.get('a')).rejects.toMatchObject(LOST);
    await expect(test.settled()).resolves.toBeUndefined();
    await crash.restart();
    await cut;
    const names = (await maps.list()).items.map(({ metadata }) => metadata.name);
    expect(names.filter((name) => name?.length === 1)).toEqual(lastWrite === 'kept' ? ['a', 'b', 'c'] : ['a', 'b']);
    expect(crash.hits).toBe(1);
    await maps.create({ metadata: { name: 'd' } });
    expect(
      test.history({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: DEFAULT } }),
    ).toHaveLength(1);
  });

  test('ends requests in flight, and closes the sockets of a listener, which answers again after the restart', async () => {
    await using test = await startTestServer();
    await using listener = await listen(test.server, { port: 0 });
    const version = () => fetch(`${listener.url}/version`).then(({ status }) => status);
    expect(await version()).toBe(200);
    test.faults.delay({ verb: 'list' }, '1m');
    const slow = test.client.resource(ConfigMap).list();
    const failed = expect(slow).rejects.toMatchObject(LOST);
    await test.clock.settle();
    const crash = test.faults.crash();
    await failed;
    await expect(version()).rejects.toMatchObject({
      cause: { code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) },
    });
    await crash.restart();
    expect(await version()).toBe(200);
    await listener.close({ grace: 0 });
  });

  test('stops the controllers, which go on after the restart', async () => {
    await using test = await startTestServer({ simulate: true });
    const deployments = test.client.resource(Deployment).namespace(DEFAULT);
    const crash = test.faults.crash({ afterWrites: 4 });
    const pod = { containers: [{ name: 'c', image: 'i' }] };
    await deployments.create({
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: pod },
      },
    });
    await crash.crashed;
    await test.settled();
    await crash.restart();
    await test.advance(60_000);
    expect((await deployments.get('web')).status).toMatchObject({ readyReplicas: 2 });
  });

  test('cannot be restarted before it happens, and can be planned as JSON', async () => {
    await using test = await startTestServer();
    const crash = test.faults.crash({ afterWrites: 5 });
    await expect(crash.restart()).rejects.toThrow('has not crashed yet');
    expect(String(test.faults.add(JSON.parse(JSON.stringify(crash.spec))))).toBe(
      'test.faults.crash({ afterWrites: 5 })',
    );
    expect(() => test.faults.crash({ afterWrites: -1 })).toThrow('a whole number of writes');
  });

  test('works on a storage of the test', async () => {
    await using test = await startTestServer({ storage: ({ clock }) => createMemoryStorage({ clock }) });
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    await maps.create({ metadata: { name: 'a' } });
    const crash = test.faults.crash();
    await crash.restart();
    expect((await maps.get('a')).metadata.name).toBe('a');
    await test.reset();
    await expect(maps.get('a')).rejects.toMatchObject({ code: 404 });
  });

  test('is over after a reset', async () => {
    await using test = await startTestServer();
    test.faults.crash();
    await test.reset();
    await test.client
      .resource(ConfigMap)
      .namespace(DEFAULT)
      .create({ metadata: { name: 'a' } });
  });

  test('can be planned several times', async () => {
    await using test = await startTestServer({ controllers: { disable: ['serviceaccount'] } });
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    const first = test.faults.crash({ afterWrites: 0, lastWrite: 'lost' });
    const second = test.faults.crash({ afterWrites: 1, lastWrite: 'lost' });
    await expect(maps.create({ metadata: { name: 'a' } })).rejects.toMatchObject(LOST);
    await first.restart();
    await maps.create({ metadata: { name: 'a' } });
    await expect(maps.create({ metadata: { name: 'b' } })).rejects.toMatchObject(LOST);
    await second.restart();
    expect([first.hits, second.hits]).toEqual([1, 1]);
    await maps.create({ metadata: { name: 'b' } });
  });

  test('is not needed to restart', async () => {
    await using test = await startTestServer();
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    await maps.create({ metadata: { name: 'a' } });
    await test.restart();
    expect((await maps.get('a')).metadata.name).toBe('a');
  });
});
