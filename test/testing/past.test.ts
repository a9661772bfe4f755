import { describe, expect, test } from 'vitest';
import { ConfigMap, Deployment } from '../../src/entries/index.js';
import { startTestServer } from '../../src/entries/testing.js';

const DEFAULT = 'default';
const MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: DEFAULT } };

describe('the past of a test server', () => {
  test('is read by version and by time', async () => {
    await using test = await startTestServer();
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    const first = await maps.create({ metadata: { name: 'a' }, data: { step: '1' } });
    await test.advance(10_000);
    await maps.update({ metadata: { name: 'a' }, data: { step: '2' } });
    await maps.create({ metadata: { name: 'b' } });
    const past = test
      .at(first.metadata.resourceVersion ?? '')
      .resource(ConfigMap)
      .namespace(DEFAULT);
    expect((await past.get('a')).data).toEqual({ step: '1' });
    expect((await past.list({ labelSelector: '!x' })).items.map(({ metadata }) => metadata.name)).toEqual(
      ['a', 'orch-root-ca.crt'].filter((name) => name === 'a'),
    );
    expect((await past.list()).metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    await expect(past.get('b')).rejects.toMatchObject({ code: 404 });
    for (const time of ['2024-01-01T00:00:09Z', new Date(test.clock.now() - 1)])
      expect((await test.at(time).resource(ConfigMap).namespace(DEFAULT).get('a')).data).toEqual({ step: '1' });
    expect((await test.at(new Date(test.clock.now())).resource(ConfigMap).namespace(DEFAULT).get('a')).data).toEqual({
      step: '2',
    });
    expect(test.requests().by('system:apiserver').reads.length).toBe(0);
  });

  test('cannot be changed or watched, and ends where the history ends', async () => {
    await using test = await startTestServer();
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    const { metadata } = await maps.create({ metadata: { name: 'a' } });
    const past = test
      .at(metadata.resourceVersion ?? '')
      .resource(ConfigMap)
      .namespace(DEFAULT);
    await expect(past.create({ metadata: { name: 'b' } })).rejects.toThrow('only gets and lists');
    await expect(past.delete('a')).rejects.toThrow('only gets and lists');
    await expect(past.watch().next()).rejects.toThrow('only gets and lists');
    await expect(test.at(1_000_000).resource(ConfigMap).list()).rejects.toMatchObject({ code: 504 });
    expect(() => test.at('yesterday')).toThrow('a resource version');
    expect(() => test.at('2023-12-31T00:00:00Z')).toThrow('its first write was at 2024-01-01T00:00:00Z');
    await maps.delete('a');
    test.faults.expireHistory();
    await test.settled();
    await expect(past.get('a')).rejects.toMatchObject({ code: 410 });
    await expect(past.list()).rejects.toMatchObject({ code: 410 });
  });

  test('tells who changed what of an object, and when', async () => {
    await using test = await startTestServer({ users: { alice: { groups: ['system:masters'] } } });
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    await maps.create({ metadata: { name: 'a' }, data: { step: '1' } });
    await test.advance(5_000);
    const alices = test.server.client({ user: { username: 'alice', groups: ['system:masters'] } });
    await alices
      .resource(ConfigMap)
      .namespace(DEFAULT)
      .apply({ metadata: { name: 'a' }, data: { colour: 'red' } }, { fieldManager: 'painter' });
    await maps.delete('a');
    const history = test.history(MAP);
    expect(history).toMatchObject([
      { type: 'created', by: { user: 'system:apiserver', via: 'client', verb: 'create' }, managers: ['in-process'] },
      {
        type: 'updated',
        time: Date.parse('2024-01-01T00:00:05Z'),
        by: { user: 'alice', verb: 'patch', path: '/api/v1/namespaces/default/configmaps/a' },
        managers: ['painter'],
        changes: [{ path: '/data/colour', op: 'add', to: 'red' }],
      },
      { type: 'deleted', by: { verb: 'delete' }, changes: [] },
    ]);
    expect(history.toString().split('\n').slice(1, 3)).toEqual([
      `${history[1]?.version} updated 2024-01-01T00:00:05Z by alice (client, in-process, patch), manager painter`,
      '    + /data/colour: "red"',
    ]);
    expect(() => test.history({ apiVersion: 'v1', kind: 'Nothing', metadata: { name: 'a' } })).toThrow(
      'does not serve',
    );
    expect(() => test.history({ ...MAP, metadata: { name: 'a' } })).toThrow('add metadata.namespace');
  });

  test('tells what controllers did', async () => {
    await using test = await startTestServer();
    const pod = { containers: [{ name: 'c', image: 'i' }] };
    const deployment = await test.client
      .resource(Deployment)
      .namespace(DEFAULT)
      .create({
        metadata: { name: 'web' },
        spec: {
          selector: { matchLabels: { app: 'web' } },
          template: { metadata: { labels: { app: 'web' } }, spec: pod },
        },
      });
    const before = deployment.metadata.resourceVersion ?? '';
    await test.settled();
    const diff = test.diff(before);
    expect(diff.map(({ type, kind }) => `${type} ${kind}`)).toEqual(
      expect.arrayContaining(['created ReplicaSet', 'created Pod', 'updated Deployment']),
    );
    expect(test.history(deployment).at(-1)?.by).toMatchObject({ via: 'controllers' });
    expect(String(diff)).toContain('created ReplicaSet default/web-');
  });

  test('compares states and objects', async () => {
    await using test = await startTestServer();
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    const one = await maps.create({ metadata: { name: 'a' }, data: { x: '1', y: '1' } });
    const two = await maps.update({ metadata: { name: 'a' }, data: { x: '2' } });
    await maps.create({ metadata: { name: 'gone' } });
    await maps.delete('gone');
    expect(test.diff(one, two)).toEqual([
      { path: '/data/x', op: 'replace', from: '1', to: '2' },
      { path: '/data/y', op: 'remove', from: '1', to: undefined },
    ]);
    const versions = [one, two].map(({ metadata }) => metadata.resourceVersion ?? '') as [string, string];
    expect(test.diff(...versions)).toMatchObject([
      { type: 'updated', kind: 'ConfigMap', namespace: DEFAULT, name: 'a' },
    ]);
    expect(test.diff(versions[1])).toEqual([]);
    expect(() => test.diff(versions[1], versions[0])).toThrow('name the earlier state first');
    expect(() => test.diff(1, one as never)).toThrow('two points');
  });

  test('is bounded', async () => {
    await using test = await startTestServer({ recorded: { versions: 10, requests: 4 } });
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    const first = await maps.create({ metadata: { name: 'a' } });
    for (let step = 0; step < 40; step += 1)
      await maps.update({ metadata: { name: 'a' }, data: { step: String(step) } });
    expect(test.history(MAP).length).toBeLessThan(16);
    expect(test.requests().length).toBeLessThan(7);
    expect(() => test.diff(first.metadata.resourceVersion ?? '')).toThrow('raise recorded.versions');
    await expect(startTestServer({ recorded: { version: 1 } as never })).rejects.toThrow('unknown option "version"');
  });

  test('of a fork begins with that of its origin, and a reset forgets what came after', async () => {
    await using test = await startTestServer();
    const maps = test.client.resource(ConfigMap).namespace(DEFAULT);
    await maps.create({ metadata: { name: 'a' } });
    await using fork = await test.fork();
    await fork.client
      .resource(ConfigMap)
      .namespace(DEFAULT)
      .update({ metadata: { name: 'a' }, data: { x: 'fork' } });
    await maps.update({ metadata: { name: 'a' }, data: { x: 'origin' } });
    expect(fork.history(MAP).map(({ object }) => object['data'])).toEqual([undefined, { x: 'fork' }]);
    expect(test.history(MAP).map(({ object }) => object['data'])).toEqual([undefined, { x: 'origin' }]);
    expect(fork.requests().length).toBe(1);
    fork.faults.fail({}, { status: 500 });
    expect((await maps.get('a')).data).toEqual({ x: 'origin' });
    await fork.reset();
    expect(fork.history(MAP)).toHaveLength(1);
    expect(fork.faults.rules).toEqual([]);
    expect(fork.requests().length).toBe(0);
    await test.reset();
    expect(test.history(MAP)).toEqual([]);
    await maps.create({ metadata: { name: 'a' } });
    expect(test.history(MAP)).toHaveLength(1);
  });
});
