import { describe, expect, it } from 'vitest';
import { ApiServer, type ApiServerOptions } from '../../src/entries/index.js';
import { decorateStorage } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createManualClock, startTestServer } from '../../src/entries/testing.js';
import type { Clock } from '../../src/foundation/time/clock.js';
import { HealthChecks, type HealthOptions } from '../../src/server/routes/health.js';
import { ask, textOf } from './ask.js';

/** A clock that only moves when it is advanced. */
class ManualClock implements Clock {
  #now = 1_000;
  #timers: { at: number; callback: () => void }[] = [];
  now = (): number => this.#now;
  after(delayMs: number, callback: () => void): { cancel(): void } {
    const timer = { at: this.#now + delayMs, callback };
    this.#timers.push(timer);
    return { cancel: () => void (this.#timers = this.#timers.filter((other) => other !== timer)) };
  }
  advance(ms: number): void {
    this.#now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#now);
    this.#timers = this.#timers.filter(({ at }) => at > this.#now);
    for (const { callback } of due) callback();
  }
  get pending(): number {
    return this.#timers.length;
  }
}

const setUp = (
  options: Partial<HealthOptions> = {},
): { clock: ManualClock; checks: HealthChecks; get: (target: string) => Promise<unknown[] | undefined> } => {
  const clock = new ManualClock();
  const checks = new HealthChecks({ clock, ...options });
  const get = async (target: string): Promise<unknown[] | undefined> => {
    const [path = '', query = ''] = target.split('?');
    const answer = await checks.handle(path, new URLSearchParams(query), new AbortController().signal);
    return answer && [answer.status, answer.body];
  };
  return { clock, checks, get };
};

const broken = { name: 'storage', check: () => Promise.reject(new Error('disk is gone')) };

describe('healthy', () => {
  it.each([
    ['/healthz', 200, 'ok'],
    ['/livez', 200, 'ok'],
    ['/readyz', 200, 'ok'],
    ['/livez/ping', 200, 'ok'],
    ['/healthz/ping?verbose', 200, 'ok'],
    ['/livez?exclude=ping', 200, 'ok'],
    ['/livez?verbose', 200, '[+]ping ok\n[+]log ok\nlivez check passed\n'],
    ['/readyz?verbose=', 200, '[+]ping ok\n[+]log ok\n[+]shutdown ok\nreadyz check passed\n'],
    ['/livez?verbose&exclude=ping&exclude=log', 200, '[+]ping excluded: ok\n[+]log excluded: ok\nlivez check passed\n'],
    [
      '/livez?verbose&exclude=y&exclude=x',
      200,
      '[+]ping ok\n[+]log ok\nwarn: some health checks cannot be excluded: no matches for "x", "y"\nlivez check passed\n',
    ],
    ['/livez/nobody', 404, '404 page not found\n'],
    ['/livez/', 404, '404 page not found\n'],
  ])('%s', async (target, status, body) => {
    expect(await setUp().get(target)).toEqual([status, body]);
  });

  it('is plain text with nosniff', async () => {
    const answer = await setUp().checks.handle('/livez', new URLSearchParams(), new AbortController().signal);
    expect(answer?.headers).toEqual({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
  });

  it('does not handle other paths', async () => {
    expect(await setUp().get('/livezz')).toBeUndefined();
  });

  it('leaves no timer running', async () => {
    const { clock, get } = setUp();
    await get('/livez');
    expect(clock.pending).toBe(0);
  });
});

describe('failing', () => {
  it.each([
    ['/livez', 500, '[+]ping ok\n[+]log ok\n[-]storage failed: reason withheld\nlivez check failed\n'],
    ['/livez?verbose', 500, '[+]ping ok\n[+]log ok\n[-]storage failed: disk is gone\nlivez check failed\n'],
    ['/livez?exclude=storage', 200, 'ok'],
    ['/livez/storage', 500, 'internal server error: disk is gone\n'],
    ['/livez/ping', 200, 'ok'],
    ['/healthz', 200, 'ok'],
  ])('%s', async (target, status, body) => {
    const { checks, get } = setUp();
    checks.add(broken, ['livez']);
    expect(await get(target)).toEqual([status, body]);
  });

  it('fails a check that does not answer in time, and aborts it', async () => {
    const { clock, checks, get } = setUp({ timeoutMs: 500 });
    let aborted = false;
    checks.add({
      name: 'slow',
      check: (signal) => new Promise(() => signal.addEventListener('abort', () => (aborted = true))),
    });
    const answer = get('/livez/slow');
    clock.advance(500);
    expect(await answer).toEqual([500, 'internal server error: no answer within 500ms\n']);
    expect(aborted).toBe(true);
  });

  it('is not ready but live during shutdown', async () => {
    const { checks, get } = setUp();
    checks.startShutdown();
    expect(await get('/readyz?verbose')).toEqual([
      500,
      '[+]ping ok\n[+]log ok\n[-]shutdown failed: process is shutting down\nreadyz check failed\n',
    ]);
    expect(await get('/livez')).toEqual([200, 'ok']);
  });

  it('stays live through the grace period', async () => {
    const { clock, checks, get } = setUp({ livezGracePeriodMs: 1_000 });
    checks.add(broken);
    expect((await get('/livez'))?.[0]).toBe(200);
    expect((await get('/readyz'))?.[0]).toBe(500);
    clock.advance(1_000);
    expect((await get('/livez'))?.[0]).toBe(500);
  });
});

describe('the list of checks', () => {
  it('names every path', () => {
    const { checks } = setUp();
    checks.add({ name: 'poststarthook/rbac', check: () => undefined }, ['readyz']);
    expect(checks.paths()).toEqual([
      '/healthz',
      '/healthz/ping',
      '/healthz/log',
      '/livez',
      '/livez/ping',
      '/livez/log',
      '/readyz',
      '/readyz/ping',
      '/readyz/log',
      '/readyz/poststarthook/rbac',
      '/readyz/shutdown',
    ]);
  });

  it('rejects duplicate names', () => {
    expect(() => setUp().checks.add({ name: 'ping', check: () => undefined })).toThrow(TypeError);
  });
});

describe('the checks of a server', () => {
  const namesOf = async (options: ApiServerOptions, path: string): Promise<string[]> => {
    await using server = new ApiServer({
      ...options,
      authentication: { ownerToken: 'owner', ...options.authentication },
    });
    const text = textOf(await ask(server, 'GET', `${path}?verbose`, { token: 'owner' }));
    return [...text.matchAll(/^\[\+\](\S+) ok$/gm)].map(([, name = '']) => name);
  };
  const STEPS = [
    'poststarthook/start-apiserver-admission-initializer',
    'poststarthook/generic-apiserver-start-informers',
    'poststarthook/start-apiextensions-informers',
    'poststarthook/start-apiextensions-controllers',
    'poststarthook/crd-informer-synced',
    'poststarthook/start-system-namespaces-controller',
    'poststarthook/scheduling/bootstrap-system-priority-classes',
    'poststarthook/rbac/bootstrap-roles',
  ];

  it('have the names of release 1.31 in its dialect', async () => {
    const dialect = 'kubernetes';
    expect(await namesOf({ dialect }, '/livez')).toEqual(['ping', 'log', 'etcd', ...STEPS]);
    expect(await namesOf({ dialect }, '/readyz')).toEqual([
      ...['ping', 'log', 'etcd', 'etcd-readiness', 'informer-sync', ...STEPS, 'shutdown'],
    ]);
  });

  it('have names of the engine, too, and of the dialect', async () => {
    const inner = createMemoryStorage({ clock: createManualClock() });
    const storage = () =>
      decorateStorage(inner, {
        healthChecks: { name: 'disk', readiness: 'disk-writes' },
        close: async () => undefined,
      });
    expect((await namesOf({ dialect: 'kubernetes', storage: storage() }, '/readyz')).slice(2, 6)).toEqual([
      ...['disk', 'etcd', 'disk-writes', 'etcd-readiness'],
    ]);
    expect((await namesOf({}, '/readyz')).slice(2, 4)).toEqual(['storage', 'storage-readiness']);
  });

  it('are absent for steps that the server does not have', async () => {
    const names = await namesOf(
      {
        admission: { disable: ['Priority'] },
        controllers: { disable: ['customresourcedefinition'] },
        authorization: { authorizer: () => ({ decision: 'Allow', reason: '' }) },
      },
      '/livez',
    );
    expect(STEPS.filter((name) => !names.includes(name))).toEqual([STEPS[3], STEPS[6], STEPS[7]]);
  });

  it('ask the storage once for all names, and fail under each', async () => {
    let asked = 0;
    const storage = decorateStorage(createMemoryStorage({ clock: createManualClock() }), {
      healthChecks: { name: 'disk' },
      ping: async () => {
        asked += 1;
        throw new Error('disk is gone');
      },
    });
    await using server = new ApiServer({ authentication: { ownerToken: 'owner' }, storage });
    const text = textOf(await ask(server, 'GET', '/readyz?verbose', { token: 'owner' }));
    expect(text.match(/^\[-\].*$/gm)).toEqual([
      '[-]disk failed: disk is gone',
      '[-]storage failed: disk is gone',
      '[-]storage-readiness failed: disk is gone',
    ]);
    expect(asked).toBe(1);
  });
});

describe('the option observability.livezGracePeriod of a server', () => {
  it('lets /livez pass while the server is being set up, and nothing else', async () => {
    await using running = await startTestServer({ observability: { livezGracePeriod: '5s' } });
    const { server, advance } = running;
    server.health.add({ name: 'poststarthook/warm-up', check: () => Promise.reject(new Error('not finished')) });
    const statuses = () =>
      Promise.all(
        ['/livez', '/livez/poststarthook/warm-up', '/healthz', '/readyz'].map(
          async (path) => (await ask(server, 'GET', path, { token: '' })).status,
        ),
      );
    expect(await statuses()).toEqual([200, 403, 500, 500]);
    await advance(4_999);
    expect((await statuses())[0]).toBe(200);
    await advance(1);
    expect((await statuses())[0]).toBe(500);
  });

  it('applies to the check of the default roles too', async () => {
    await using running = await startTestServer();
    expect(textOf(await ask(running.server, 'GET', '/livez?verbose', { token: '' }))).toContain(
      '[+]poststarthook/rbac/bootstrap-roles ok\n',
    );
  });

  it.each([-1, NaN])('rejects %s', (livezGracePeriod) => {
    expect(() => new ApiServer({ observability: { livezGracePeriod } })).toThrow(
      new TypeError(
        `ApiServer: the option observability.livezGracePeriod must be milliseconds, or a string such as "5s" or "1m30s", got ${livezGracePeriod}`,
      ),
    );
  });
});
