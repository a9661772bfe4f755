import { describe, expect, test, vi } from 'vitest';
import { createController, createManager, Informer } from '../../../src/entries/controllers.js';
import { ConfigMap } from '../../../src/entries/kinds.js';
import { startTestServer } from '../../../src/entries/testing.js';
import { nextTurn } from '../../../src/foundation/async/turn.js';
import { listen } from '../../../src/transport/node/index.js';
import { Backup } from './backup.js';

const start = () => startTestServer({ dialect: 'kubernetes', resources: [Backup] });
type Test = Awaited<ReturnType<typeof start>>;

const create = ({ client }: Test, name: string) =>
  client
    .resource(Backup)
    .namespace('default')
    .create({ metadata: { name }, spec: { secret: 's' } });

const idle = (name: string) => createController({ name, kind: Backup, owns: [ConfigMap], reconcile: () => undefined });

describe('a manager', () => {
  test('reads each kind once for all of its controllers', async () => {
    await using of = await start();
    const watches = () => of.requests({ verb: 'watch', resource: 'backups' }).length;
    const before = watches();
    const running = await of.run([idle('one'), idle('two')]);
    await create(of, 'a');
    await of.settled();
    expect(running.runs.map(({ controller }) => controller).sort()).toEqual(['one', 'two']);
    expect(watches() - before).toBe(1);
  });

  test('refuses two controllers of one name, a second run, and a finalizer without a domain', async () => {
    await using of = await start();
    const { client } = of;
    expect(() => createManager({ client, controllers: [idle('one'), idle('one')] })).toThrow(
      new TypeError('createManager: two controllers have the name one'),
    );
    const stop = new AbortController();
    const manager = createManager({ client, controllers: [idle('one')] });
    const running = manager.run({ signal: stop.signal });
    await expect(manager.run()).rejects.toThrow('the manager runs already, or has run');
    stop.abort();
    await running;
    const core = createController({ kind: ConfigMap, reconcile: () => undefined, finalize: () => undefined });
    expect(() => createManager({ client, controllers: [core] })).toThrow(/needs the option finalizer/);
  });

  test('lets runs end before it stops, aborts them at half of its time, and starts no others', async () => {
    await using of = await start();
    const told: string[] = [];
    const controller = createController({
      kind: Backup,
      async reconcile({ metadata }, { signal }) {
        told.push(`${metadata.name} begins`);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        told.push(`${metadata.name} aborted`);
      },
    });
    const stop = new AbortController();
    const running = controller.run({ client: of.client, signal: stop.signal, shutdown: '20s' });
    let isStopped = false;
    void running.then(() => (isStopped = true));
    await create(of, 'a');
    await create(of, 'b');
    for (let turn = 0; turn < 1000 && told.length === 0; turn += 1) await nextTurn();
    stop.abort();
    await of.clock.advance('9s');
    expect([told, isStopped]).toEqual([['a begins'], false]);
    await of.clock.advance('1s');
    await running;
    expect(told).toEqual(['a begins', 'a aborted']);
  });

  test('keeps its caches current while runs end', async () => {
    await using of = await start();
    let began = false;
    let late: unknown;
    const controller = createController({
      kind: Backup,
      owns: [ConfigMap],
      async reconcile(_backup, { signal, cached }) {
        began = true;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        late = cached(ConfigMap).get('default/late')?.metadata.name;
      },
    });
    const stop = new AbortController();
    const running = controller.run({ client: of.client, signal: stop.signal, shutdown: '20s' });
    await create(of, 'a');
    for (let turn = 0; turn < 1000 && !began; turn += 1) await nextTurn();
    stop.abort();
    await of.client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'late' } });
    await of.clock.advance('10s');
    await running;
    expect(late).toBe('late');
  });

  test('logs an error that repeats the first, second, fourth, eighth time', async () => {
    await using of = await start();
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    let runs = 0;
    const controller = createController({
      kind: Backup,
      backoff: { first: '1s', most: '1s' },
      reconcile() {
        runs += 1;
        throw new Error('the bucket is gone');
      },
    });
    const stop = new AbortController();
    const running = controller.run({ client: of.client, signal: stop.signal });
    await create(of, 'a');
    for (let second = 0; second < 9; second += 1) {
      await of.clock.advance('1s');
      for (let turn = 0; turn < 200 && runs < second + 2; turn += 1) await nextTurn();
    }
    stop.abort();
    await running;
    expect([runs, logged.mock.calls.length]).toEqual([10, 4]);
    logged.mockRestore();
  });

  test('tells how long the server has said nothing of a kind', async () => {
    await using of = await start();
    const stop = new AbortController();
    const manager = createManager({ client: of.client, controllers: [idle('one')], onError: () => undefined });
    const running = manager.run({ signal: stop.signal });
    await manager.settled();
    for (const verb of ['list', 'watch'] as const) of.faults.fail({ verb, resource: 'backups' }, { status: 503 });
    of.faults.dropWatches({ resource: 'backups' });
    await of.clock.advance('90s');
    expect(await manager.metrics()).toContain('informer_stale_seconds{kind="Backup"} 90\n');
    of.faults.clear();
    await create(of, 'a');
    await of.clock.advance('1m');
    await manager.settled();
    expect(await manager.metrics()).toMatch(
      /informer_stale_seconds\{kind="Backup"\} (?:[0-9]|[1-5][0-9])(?:\.[0-9]+)?\n/,
    );
    stop.abort();
    await running;
  });

  test('tells its health, its readiness and its metrics over HTTP', async () => {
    await using of = await start();
    let release: (() => void) | undefined;
    const hangs = createController({
      name: 'hangs',
      kind: Backup,
      timeout: '1m',
      async reconcile() {
        if (release === undefined) await new Promise<void>((resolve) => (release = resolve));
      },
    });
    const manager = createManager({ client: of.client, controllers: [hangs], onError: () => undefined });
    await using listener = await listen(manager);
    const get = async (path: string, method = 'GET') => {
      const response = await fetch(`${listener.url}${path}`, { method });
      return [response.status, await response.text()];
    };
    expect(await get('/readyz?verbose')).toEqual([500, expect.stringContaining('the manager does not run')]);
    const lists = of.faults.delay({ verb: 'list', resource: 'backups' }, '10s');
    const stop = new AbortController();
    const running = manager.run({ signal: stop.signal });
    expect(await get('/readyz')).toEqual([500, expect.stringContaining('[-]informer-sync failed')]);
    expect(await get('/healthz')).toEqual([200, 'ok']);
    lists.remove();
    await of.clock.advance('10s');
    await manager.settled();
    expect(await get('/readyz/informer-sync')).toEqual([200, 'ok']);
    await create(of, 'a');
    for (let turn = 0; turn < 1000 && release === undefined; turn += 1) await nextTurn();
    await of.clock.advance('69s');
    expect(await get('/healthz')).toEqual([200, 'ok']);
    await of.clock.advance('1s');
    await manager.settled();
    expect(await get('/livez?verbose')).toEqual([500, expect.stringContaining('runs of hangs do not end')]);
    release?.();
    await manager.settled();
    expect(await get('/healthz')).toEqual([200, 'ok']);
    const scraped = await fetch(`${listener.url}/metrics`);
    expect(scraped.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(await scraped.text()).toContain('controller_runtime_reconcile_errors_total{controller="hangs"} 1');
    expect(await get('/metrics', 'POST')).toEqual([405, 'method not allowed\n']);
    expect(await get('/healthz', 'HEAD')).toEqual([200, '']);
    expect(await get('/api')).toEqual([404, '404 page not found\n']);
    stop.abort();
    expect(await get('/readyz')).toEqual([500, expect.stringContaining('[-]informer-sync failed')]);
    await running;
  });

  test('counts runs by the names of controller-runtime', async () => {
    await using of = await start();
    const controller = createController({
      kind: Backup,
      concurrency: 3,
      reconcile({ metadata }, { requeueAfter }) {
        if (metadata.name === 'bad') throw new Error('no');
        if (metadata.name === 'later') requeueAfter('24h');
      },
    });
    const manager = createManager({ client: of.client, controllers: [controller], onError: () => undefined });
    const stop = new AbortController();
    const running = manager.run({ signal: stop.signal });
    for (const name of ['good', 'later', 'bad']) await create(of, name);
    await of.settled();
    await manager.settled();
    const text = await manager.metrics();
    stop.abort();
    await running;
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        'controller_runtime_reconcile_total{controller="backup",result="success"} 1',
        'controller_runtime_reconcile_total{controller="backup",result="requeue_after"} 1',
        'controller_runtime_reconcile_total{controller="backup",result="error"} 1',
        'controller_runtime_reconcile_errors_total{controller="backup"} 1',
        'controller_runtime_max_concurrent_reconciles{controller="backup"} 3',
        'controller_runtime_active_workers{controller="backup"} 0',
        'controller_runtime_reconcile_time_seconds_count{controller="backup"} 3',
        'workqueue_depth{name="backup"} 0',
        'workqueue_adds_total{name="backup"} 3',
      ]),
    );
  });
});

describe('a test server', () => {
  test('names the controllers and informers that still run when it closes', async () => {
    const of = await start();
    const stop = new AbortController();
    const running = idle('one').run({ client: of.client, signal: stop.signal });
    const informer = new Informer({ source: of.client.resource(ConfigMap), clock: of.clock });
    informer.start();
    await of.settled();
    const place = String.raw`\(started at [^ ]*manager\.test\.ts:\d+\)`;
    await expect(of.close()).rejects.toThrow(
      new RegExp(
        `still running when the test server closes: the controllers one ${place}, .*an informer of Backup.*, an informer of ConfigMap ${place}; stop them before`,
      ),
    );
    stop.abort();
    await running;
    await informer.stop();
  });

  test('stops the controllers that it runs, and names a run that does not end', async () => {
    const of = await start();
    let release = (): void => undefined;
    const stubborn = createController({
      kind: Backup,
      reconcile: () => new Promise<void>((resolve) => (release = resolve)),
    });
    await of.run(stubborn);
    await create(of, 'a');
    for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    await expect(of.close()).rejects.toThrow('backup (default/a)');
    release();
  });
});
