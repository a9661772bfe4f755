import { afterEach, describe, expect, test, vi } from 'vitest';
import { ConfigMap, Job, Pod } from '../../src/entries/index.js';
import { Event } from '../../src/entries/kinds.js';
import { Informer } from '../../src/entries/controllers.js';
import { createManualClock, fakeTimersClock, startTestServer, type TestServer } from '../../src/entries/testing.js';

const maps = (of: TestServer) => of.client.resource(ConfigMap).namespace('default');

describe('durations', () => {
  test('are milliseconds, or texts as Go writes them', async () => {
    await using of = await startTestServer({ start: 0 });
    await of.advance(1500);
    await of.advance('1h30m');
    await of.clock.advance('500ms');
    expect(of.clock.now()).toBe(2000 + 5_400_000);
    await expect(of.advance('-1s')).rejects.toThrow(RangeError);
    expect(() => of.clock.advance('soon')).toThrow(/a string such as '2h' or '1m30s', got "soon"/);
    expect(() => of.clock.advance(Infinity)).toThrow(RangeError);
  });
});

describe('a manual clock', () => {
  test('tells when its timers fall due, and advances to the next of them', async () => {
    const clock = createManualClock(0);
    const fired: string[] = [];
    clock.after(20, () => fired.push('a'));
    clock.after(10, () => fired.push('b'));
    clock.after(10, () => fired.push('c'));
    expect(clock.due).toEqual([10, 10, 20]);
    await clock.advanceToNext(100);
    expect([clock.now(), fired]).toEqual([10, ['b', 'c']]);
    await clock.advanceToNext('5ms');
    expect([clock.now(), fired.length]).toEqual([15, 2]);
    await clock.advanceToNext(100);
    expect([clock.now(), fired.length]).toEqual([20, 3]);
    await clock.advanceToNext(100);
    expect(clock.now()).toBe(120);
  });
});

const aJob = {
  metadata: { name: 'backup' },
  spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } } },
};

describe('runUntil', () => {
  test('advances from timer to timer, and stops at the time at which the condition holds', async () => {
    await using of = await startTestServer({ simulate: true, start: 0 });
    of.pods.matching({}).become('Succeeded', { after: '90s' });
    const jobs = of.client.resource(Job).namespace('default');
    await jobs.create(aJob);
    await of.runUntil(async () => (await jobs.get('backup')).status?.succeeded === 1);
    expect(of.clock.now()).toBeGreaterThanOrEqual(90_000);
    expect(of.clock.now()).toBeLessThan(100_000);
  });

  test('takes assertions, which may be synchronous', async () => {
    await using of = await startTestServer();
    let ticks = 0;
    const tick = (): void => {
      ticks += 1;
      of.clock.after(1000, tick);
    };
    of.clock.after(1000, tick);
    await of.runUntil(() => expect(ticks).toBe(3));
    await of.runUntil(async () => expect(ticks).toBe(5), { atMost: '10s' });
    expect(ticks).toBe(5);
  });

  test('holds at once if the condition does', async () => {
    await using of = await startTestServer();
    const before = of.clock.now();
    await of.runUntil(() => true);
    expect(of.clock.now()).toBe(before);
  });

  test('says what it saw last, which timers are pending and who has work', async () => {
    await using of = await startTestServer({ start: 0, simulate: true });
    of.pods.matching({}).become('Failed');
    const jobs = of.client.resource(Job).namespace('default');
    await jobs.create(aJob);
    const never = of.runUntil(async () => expect((await jobs.get('backup')).status?.succeeded ?? 0).toBe(1), {
      atMost: '30s',
    });
    await expect(never).rejects.toThrow(
      /^runUntil: the condition does not hold after 30s, at 1970-01-01T00:00:30Z\nlast seen: expected \+?0 to be 1[^]*\npending timers: in \d[^]*\ncontrollers with work: .*job \(1 waiting for time\)/,
    );
    expect(of.clock.now()).toBe(30_000);
  });

  test('ends although no timer is pending, and refuses other conditions', async () => {
    await using of = await startTestServer({ start: 0 });
    await expect(of.runUntil(() => false, { atMost: 5000 })).rejects.toThrow(
      /after 5s[^]*the condition returned false\npending timers: in 55s, in 55s\ncontrollers with work: none$/,
    );
    await of.runUntil(() => of.clock.now() >= 20_000, { atMost: '15s' });
    await expect(of.runUntil((() => 3) as never)).rejects.toThrow(/must return true or false, .* got 3/);
    await expect(of.runUntil('x' as never)).rejects.toThrow(TypeError);
    await expect(of.runUntil(() => true, { atMost: -1 })).rejects.toThrow(
      /runUntil: atMost must be milliseconds, or a string/,
    );
  });
});

describe('a tracked informer', () => {
  test('is current when the server has settled, with what it wrote', async () => {
    await using of = await startTestServer();
    const informer = new Informer({ source: maps(of), clock: of.clock });
    const seen: string[] = [];
    informer.subscribe({
      added({ metadata }) {
        seen.push(metadata.name ?? '');
        // A reconciler of the code under test.
        if (metadata.name === 'a') void maps(of).create({ metadata: { name: 'made' } });
      },
    });
    informer.start();
    const stop = of.track(informer);
    await maps(of).create({ metadata: { name: 'a' } });
    await of.settled();
    expect(seen).toEqual(['a', 'made']);
    stop();
    await informer.stop();
  });

  test('may be one of client-node, with the collection that it follows', async () => {
    const { CoreV1Api, KubeConfig, ListWatch, Watch } = await import('@kubernetes/client-node');
    const { connectKubeConfig } = await import('../../src/client/client-node/client-node.js');
    await using of = await startTestServer({ dialect: 'kubernetes' });
    const config = connectKubeConfig(new KubeConfig(), of.server);
    const api = config.makeApiClient(CoreV1Api);
    const informer = new ListWatch(
      '/api/v1/namespaces/default/configmaps',
      new Watch(config),
      () => api.listNamespacedConfigMap({ namespace: 'default' }),
      false,
    );
    const seen: string[] = [];
    informer.on('change', (map) => seen.push(map.metadata?.name ?? ''));
    await informer.start();
    of.track(informer, { kind: { apiVersion: 'v1', kind: 'ConfigMap' }, namespace: 'default' });
    for (const name of ['a', 'b', 'c']) await maps(of).create({ metadata: { name } });
    await of.settled();
    expect(seen).toEqual(['a', 'b', 'c']);
    await maps(of).delete('b');
    await of.settled();
    expect(informer.list('default').map((map) => map.metadata?.name)).toEqual(['a', 'c']);
    await informer.stop();
  });

  test('may have the type that client-node declares for what makeInformer returns', async () => {
    const { CoreV1Api, KubeConfig, makeInformer } = await import('@kubernetes/client-node');
    const { connectKubeConfig } = await import('../../src/client/client-node/client-node.js');
    await using of = await startTestServer({ dialect: 'kubernetes' });
    const config = connectKubeConfig(new KubeConfig(), of.server);
    const api = config.makeApiClient(CoreV1Api);
    const informer = makeInformer(config, '/api/v1/namespaces/default/configmaps', () =>
      api.listNamespacedConfigMap({ namespace: 'default' }),
    );
    const seen: string[] = [];
    informer.on('add', (map) => seen.push(map.metadata?.name ?? ''));
    await informer.start();
    of.track(informer, { kind: ConfigMap, namespace: 'default' });
    await maps(of).create({ metadata: { name: 'a' } });
    await of.settled();
    expect(seen).toEqual(['a']);
    await informer.stop();
  });

  test('is refused if it is none, or says too little', async () => {
    await using of = await startTestServer();
    expect(() => of.track({} as never)).toThrow(/must be an informer/);
    expect(() => of.track({ latestResourceVersion: () => '' })).toThrow(/needs its collection/);
    of.track({ latestResourceVersion: () => '0' }, { kind: Pod });
    await of.settled();
  });

  test('that never catches up is reported', async () => {
    await using of = await startTestServer();
    of.track({ latestResourceVersion: () => '0' }, { kind: ConfigMap });
    await maps(of).create({ metadata: { name: 'a' } });
    await expect(of.settled()).rejects.toThrow(/informer of ConfigMap does not reach resource version/);
  }, 300_000);
});

describe('the fake timers of vitest', () => {
  afterEach(() => vi.useRealTimers());

  test('are the clock of a server, and of the code under test', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'], now: 0 });
    await using of = await startTestServer({ clock: fakeTimersClock(vi) });
    const events = of.client.resource(Event).namespace('default');
    await events.create({ metadata: { name: 'e' }, involvedObject: {} });
    // The code under test writes once a minute.
    let writes = 0;
    const interval = setInterval(() => {
      writes += 1;
      void maps(of).create({ metadata: { name: `m${writes}` } });
    }, 60_000);
    await of.advance('59m30s');
    expect((await events.list()).items).toHaveLength(1);
    const { items } = await maps(of).list();
    expect(items).toHaveLength(59);
    expect(items.find(({ metadata }) => metadata.name === 'm7')?.metadata.creationTimestamp).toBe(
      '1970-01-01T00:07:00Z',
    );
    await of.runUntil(async () => (await events.list()).items.length === 0);
    expect(Date.now()).toBeGreaterThanOrEqual(3_600_000);
    expect(Date.now()).toBeLessThan(3_700_000);
    await of.runUntil(() => writes === 63);
    expect(Date.now()).toBe(63 * 60_000);
    clearInterval(interval);
    await using fork = await of.fork();
    expect(fork.clock).toBe(of.clock);
    await fork.advance('600h');
    expect(Date.now()).toBe(63 * 60_000 + 600 * 3_600_000);
  });

  test('are refused while they are real, and without Date', async () => {
    expect(() => fakeTimersClock(vi)).toThrow(/setTimeout is not fake/);
    expect(() => fakeTimersClock({} as never)).toThrow(/vi of vitest, jest, or mock.timers/);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await expect(fakeTimersClock(vi).advance('1h')).rejects.toThrow(/do not include Date/);
  });
});
