import { describe, expect, test } from 'vitest';
import { Informer } from '../../src/entries/client.js';
import { ConfigMap } from '../../src/entries/index.js';
import { Event, LimitRange } from '../../src/entries/kinds.js';
import * as suites from '../../src/entries/suites.js';
import * as testing from '../../src/entries/testing.js';
import { startTestServer, type TestServer } from '../../src/entries/testing.js';

const DEFAULT = 'default';

async function history(server: TestServer): Promise<unknown> {
  const configMaps = server.client.resource(ConfigMap).namespace(DEFAULT);
  await configMaps.create({ metadata: { generateName: 'a-' } });
  await server.advance(1_500);
  await configMaps.create({ metadata: { generateName: 'a-' } });
  return (await configMaps.list()).items.map(({ metadata }) => [
    metadata.name,
    metadata.uid,
    metadata.creationTimestamp,
  ]);
}

describe('a test server', () => {
  test('gives reproducible names, uids and times', async () => {
    await using one = await startTestServer({ seed: 'x' });
    await using two = await startTestServer({ seed: 'x' });
    await using other = await startTestServer({ seed: 'y' });
    const first = await history(one);
    expect(first).toMatchObject([
      [expect.any(String), expect.any(String), expect.any(String)],
      [expect.any(String), expect.any(String), expect.any(String)],
    ]);
    expect(await history(two)).toEqual(first);
    expect(await history(other)).not.toEqual(first);
    expect(new Set((first as string[][]).map(([, , time]) => time))).toEqual(
      new Set(['2024-01-01T00:00:00Z', '2024-01-01T00:00:01Z']),
    );
  });

  test('starts at the given time', async () => {
    await using server = await startTestServer({ start: Date.parse('2030-06-01T00:00:00Z') });
    const made = await server.client
      .resource(ConfigMap)
      .namespace(DEFAULT)
      .create({ metadata: { name: 'a' } });
    expect(made.metadata.creationTimestamp).toBe('2030-06-01T00:00:00Z');
  });

  test('applies the effects of advanced time: events expire', async () => {
    await using server = await startTestServer();
    const events = server.client.resource(Event).namespace(DEFAULT);
    await events.create({
      metadata: { name: 'e' },
      involvedObject: { namespace: DEFAULT, name: 'x' },
      reason: 'Test',
      type: 'Normal',
    });
    await server.advance(3_599_000);
    expect((await events.list()).items).toHaveLength(1);
    await server.advance(2_000);
    expect((await events.list()).items).toHaveLength(0);
  });

  test('keeps its dialect and its options', async () => {
    await using server = await startTestServer({
      dialect: 'kubernetes',
      authentication: { tokens: [{ token: 't', user: { username: 'u', groups: [] } }] },
    });
    expect(server.server.dialect.name).toBe('kubernetes');
    expect(server.server.kubeConfig()).toContain('token: ');
  });

  test('leaves no timer and ends all watches', async () => {
    const server = await startTestServer();
    const next = server.client.resource(ConfigMap).watch({ allowWatchBookmarks: true, timeoutSeconds: 60 }).next();
    await server.settled();
    expect(server.clock.pending).toBeGreaterThan(0);
    await server.close();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(server.clock.pending).toBe(0);
    await server.close();
  });
});

test('the kit and the suites are exported', async () => {
  expect(Object.keys(testing).sort()).toEqual([
    'ChaosError',
    'RequestList',
    'chaos',
    'createManualClock',
    'fake',
    'fakeTimersClock',
    'loadObjects',
    'matchers',
    'normalize',
    'seededEntropy',
    'snapshotSerializer',
    'startTestServer',
    'useTestServer',
  ]);
  expect(Object.keys(suites).sort()).toEqual([
    'accessAttributes',
    'admissionAttributes',
    'admissionPluginCases',
    'authRequest',
    'authenticatorCases',
    'authorizerCases',
    'echoHandler',
    'storageContract',
    'transportCases',
  ]);
  const cases = suites.storageContract({ create: () => Promise.reject(new Error('not made')) });
  expect(cases.length).toBeGreaterThan(20);
  expect(suites.transportCases.length).toBeGreaterThan(10);
});

describe('a storage created for the test', () => {
  test('receives its clock and entropy, and ages with it', async () => {
    const { createMemoryStorage } = await import('../../src/storage/memory/index.js');
    await using running = await startTestServer({
      storage: async ({ clock, entropy }) => {
        expect(entropy.bytes(2)).toHaveLength(2);
        return createMemoryStorage({ clock, history: 60_000 });
      },
    });
    const events = running.client.resource(Event).namespace('default');
    await events.create({ metadata: { name: 'e' }, involvedObject: {} });
    await running.advance(59 * 60_000);
    await events.get('e');
    await running.advance(2 * 60_000);
    await expect(events.get('e')).rejects.toMatchObject({ code: 404 });
  });

  test('says that it is closed, to calls and to all that still follows it', async () => {
    const running = await startTestServer();
    // A kind of which the server makes no objects.
    const ranges = running.client.resource(LimitRange).namespace('default');
    const events = ranges.follow();
    expect((await events.next()).value).toMatchObject({ type: 'SYNCED' });
    await ranges.create({ metadata: { name: 'first' }, spec: { limits: [{ type: 'Container' }] } });
    const watch = ranges.watch();
    for (const opened of [events, watch]) expect((await opened.next()).value).toMatchObject({ type: 'ADDED' });
    const [following, watching] = [events.next(), watch.next()];
    const errors: unknown[] = [];
    const late = new Informer({ source: ranges, clock: running.clock, onError: (error) => errors.push(error) });
    await running.close();
    const refusal = { code: 503, message: 'the server is closed' };
    await expect(following).rejects.toMatchObject(refusal);
    expect((await watching).done).toBe(true);
    for (const call of [
      () => ranges.get('a'),
      () => ranges.create({ metadata: { name: 'a' }, spec: { limits: [] } }),
      () => ranges.watch().next(),
      () => ranges.follow().next(),
      () => ranges.waitFor('a', 'deleted'),
      () => running.server.client({ user: 'ann' }).resource({ apiVersion: 'v1', kind: 'Secret' }).list(),
    ])
      await expect(call()).rejects.toMatchObject(refusal);
    late.start();
    await late.synced();
    expect(errors).toEqual([]);
  });

  test('is closed if the server cannot be created', async () => {
    const { createMemoryStorage } = await import('../../src/storage/memory/index.js');
    let closed = false;
    const storage = ({ clock }: { clock: TestServer['clock'] }) => {
      const engine = createMemoryStorage({ clock, history: 60_000 });
      const { close } = engine;
      engine.close = () => ((closed = true), close.call(engine));
      return engine;
    };
    await expect(startTestServer({ storage, resources: [ConfigMap] })).rejects.toThrow(
      'ConfigMap (configmaps/v1) is given twice',
    );
    expect(closed).toBe(true);
  });
});
