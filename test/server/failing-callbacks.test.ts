/**
 * Loggers, `onError` callbacks and signers that throw: the reported work continues, and a server closes despite any
 * failure.
 */
import { describe, expect, test, vi } from 'vitest';
import { ApiServer, ConfigMap } from '../../src/entries/index.js';
import { createSigner, Informer, objectKey, WorkQueue, type InformerOptions } from '../../src/entries/controllers.js';
import { ServiceAccount, Namespace } from '../../src/kinds/builtin/index.js';
import { decorateStorage, type Storage } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createManualClock, startTestServer } from '../../src/entries/testing.js';
import { ask, jsonOf } from './ask.js';
import { askApproved, requestsOf, SIGNER, world } from '../controllers/signing.js';
import { PATIENCE } from '../support/patience.js';

const fail = (): never => {
  throw new Error('taking note of it failed');
};
const failLater = (): Promise<never> => Promise.reject(new Error('taking note of it failed'));
const brokenLogger = { info: fail, error: fail };

describe('a work queue with an onError that throws', () => {
  test.each([
    ['at once', fail],
    ['later', failLater as () => never],
  ])('%s: releases the slot, retries and ends', async (_when, onError) => {
    const clock = createManualClock();
    const runs: string[] = [];
    const queue = new WorkQueue<string>({
      clock,
      onError,
      process: async (key) => {
        runs.push(key);
        if (key === 'bad') throw new Error('the work failed');
      },
    });
    queue.start();
    queue.add('bad');
    queue.add('good');
    await queue.whenIdle();
    expect([runs, queue.delayed]).toEqual([['bad', 'good'], 1]);
    await clock.advance(5);
    expect(runs).toEqual(['bad', 'good', 'bad']);
    await queue.stop();
  });

  test('a hanging task delays the end of a queue only if the queue waits for it', async () => {
    const signals: AbortSignal[] = [];
    const process = (_key: string, signal: AbortSignal): Promise<void> => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const queue = new WorkQueue<string>({ clock: createManualClock(), abandons: true, process });
    queue.start();
    queue.add('a');
    queue.add('b');
    await queue.stop();
    expect([queue.idle, signals.map(({ aborted }) => aborted)]).toEqual([true, [true]]);
  });
});

describe('an informer', () => {
  test.each<[what: string, options: Partial<InformerOptions<{ metadata: { name?: string } }>>]>([
    ['handlers and an onError', {}],
    ['a keep', { keep: (object) => (object.metadata.name === 'bad' ? fail() : object) }],
    ['an index', { indexes: { name: ({ metadata }) => (metadata.name === 'bad' ? fail() : [metadata.name ?? '']) } }],
  ])('continues after %s that throws', async (what, options) => {
    await using running = await startTestServer();
    const maps = running.client.resource(ConfigMap).namespace('default');
    await maps.create({ metadata: { name: 'bad' } });
    await maps.create({ metadata: { name: 'good' } });
    const informer = new Informer({ source: maps, clock: running.clock, onError: fail, ...(options as object) });
    informer.subscribe({ added: fail, updated: fail, deleted: fail });
    informer.start();
    await informer.synced();
    await maps.create({ metadata: { name: 'late' } });
    await maps.patch('bad', { data: { k: 'v' } });
    await informer.caughtUp();
    const expected = ['default/good', 'default/late'];
    expect([...informer.values()].map(objectKey).sort()).toEqual(
      what.startsWith('handlers') ? ['default/bad', ...expected] : expected,
    );
    await informer.stop();
  });
});

describe('a signer', () => {
  test('retries, settles and stops when its issue and onError throw', async () => {
    await using h = world();
    let tries = 0;
    const issue = (): never => {
      tries += 1;
      throw new Error('the authority is away');
    };
    const signer = createSigner({
      client: h.server.client(),
      signerName: SIGNER,
      clock: h.clock,
      issue,
      onError: fail,
    });
    signer.start();
    await askApproved(h.client, 'one');
    await askApproved(h.client, 'two');
    await signer.settled();
    expect(tries).toBeGreaterThanOrEqual(2);
    const before = tries;
    await h.clock.advance(60_000);
    // The signer is not a part of the server, which the clock waits for.
    await vi.waitUntil(() => tries > before, PATIENCE);
    await signer.stop();
  });

  test('stops while issue hangs, and writes nothing afterwards', async () => {
    await using h = world();
    const answers: ((certificate: string) => void)[] = [];
    const signer = createSigner({
      client: h.server.client(),
      signerName: SIGNER,
      clock: h.clock,
      issue: () => new Promise((resolve) => answers.push(resolve)),
    });
    signer.start();
    await askApproved(h.client, 'one');
    await vi.waitUntil(() => answers.length > 0, PATIENCE);
    await signer.stop();
    answers[0]?.('late');
    await new Promise((resolve) => setImmediate(resolve));
    expect((await requestsOf(h.client).get('one')).status?.certificate).toBeUndefined();
  });
});

describe('an admission plugin that throws', () => {
  test.each([
    ['at once', fail],
    ['later', failLater],
  ])('%s: plugins before it learn that the write is refused', async (_when, refuse) => {
    const ends: string[] = [];
    await using server = new ApiServer({
      admission: {
        plugins: [
          {
            name: 'takes',
            operations: ['CREATE'],
            // The controllers of the server create objects too.
            validate: ({ name, onFinish }) => (name === 'a' ? onFinish?.((end) => void ends.push(end)) : undefined),
          },
          { name: 'refuses', operations: ['CREATE'], validate: refuse },
        ],
      },
    });
    const maps = server.client().resource(ConfigMap).namespace('default');
    await expect(maps.create({ metadata: { name: 'a' } })).rejects.toThrow();
    expect(ends).toEqual(['refused']);
  });
});

describe('a server', () => {
  test('answers, works and closes with a throwing logger', async () => {
    const storage = createMemoryStorage({ clock: createManualClock() });
    const running = await startTestServer({
      storage,
      observability: { logger: brokenLogger },
      featureGates: 'ClusterTrustBundle=true',
      authentication: { tokens: [{ token: 'alice', user: { username: 'alice', groups: [] } }] },
      admission: {
        plugins: [
          {
            name: 'broken',
            operations: ['CREATE'],
            validate: ({ info }) => (info.kind === 'ConfigMap' ? fail() : undefined),
          },
        ],
      },
    });
    // Denied, failed, and without a valid credential: each is logged.
    const maps = '/api/v1/namespaces/default/configmaps';
    expect((await ask(running.server, 'GET', maps, { token: 'alice' })).status).toBe(403);
    expect((await ask(running.server, 'GET', maps, { token: 'unknown' })).status).toBe(401);
    await storage.create('/registry/clusterroles/strange', () => 'nonsense');
    expect(
      jsonOf(await ask(running.server, 'GET', '/apis/rbac.authorization.orch.io/v1/clusterroles', { token: 'alice' })),
    ).toMatchObject({ code: 403 });
    await expect(
      running.client
        .resource(ConfigMap)
        .namespace('default')
        .create({ metadata: { name: 'a' } }),
    ).rejects.toThrow();
    // The controllers that cannot work, such as the one for the namespace's root certificate, have failed; the others
    // work.
    await running.client.resource(Namespace).create({ metadata: { name: 'fresh' } });
    await running.settled();
    expect((await running.client.resource(ServiceAccount).namespace('fresh').get('default')).metadata.name).toBe(
      'default',
    );
    await running.close();
    await expect(storage.currentRevision()).rejects.toMatchObject({ code: 'Unavailable' });
  });

  test('answers a request whose warnings callback throws', async () => {
    await using running = await startTestServer();
    const maps = running.server.client({ onWarning: fail }).resource(ConfigMap).namespace('default');
    const made = await maps.create({ metadata: { name: 'a' }, unknown: 'field' } as never);
    expect(made.metadata.name).toBe('a');
  });

  /** A storage whose close fails in part. */
  function failingAtTheEnd(
    engine: Storage,
    fails: 'stop' | 'close' | 'both',
  ): { readonly storage: Storage; closed: number } {
    const state = { closed: 0 };
    const storage = decorateStorage(engine, {
      watch: (...given) => {
        const watch = engine.watch(...given);
        return {
          requestProgress: () => watch.requestProgress(),
          stop: () => (fails === 'close' ? watch.stop() : fail()),
        };
      },
      close: async () => {
        state.closed += 1;
        await engine.close();
        if (fails !== 'stop') fail();
      },
    });
    return Object.assign(state, { storage });
  }

  test.each(['stop', 'close', 'both'] as const)(
    'closes its storage once despite failures (%s), and reports them',
    async (fails) => {
      const engine = failingAtTheEnd(createMemoryStorage({ clock: createManualClock() }), fails);
      const server = new ApiServer({
        storage: engine.storage,
        clock: createManualClock(),
        authentication: { tokens: [{ token: 'alice', user: { username: 'alice', groups: [] } }] },
      });
      expect((await ask(server, 'GET', '/api/v1/namespaces', { token: 'alice' })).status).toBe(403);
      const closing = server.close();
      await expect(closing).rejects.toThrow(
        fails === 'close' ? 'taking note of it failed' : 'the server was closed, with failures',
      );
      await expect(server.close()).rejects.toThrow();
      expect(engine.closed).toBe(1);
    },
  );
});

describe('close', () => {
  const never = new Promise<never>(() => undefined);
  /** A memory storage with one method that never settles. */
  const hangingIn = (clock: ReturnType<typeof createManualClock>, method: string): Storage =>
    new Proxy<Storage>(createMemoryStorage({ clock }), {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (key === method) return () => never;
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  const messageOf = async (closing: Promise<void>): Promise<unknown> =>
    closing.then(
      () => 'closed',
      (error: unknown) => (error instanceof Error ? error.message : error),
    );

  test('closes while the start hangs in the storage, and reports it', async () => {
    const clock = createManualClock();
    const server = new ApiServer({ clock, storage: hangingIn(clock, 'currentRevision') });
    const started = server.ready()?.catch((error: unknown) => error);
    const closing = messageOf(server.close());
    await clock.advance(29_999);
    expect(await Promise.race([closing, Promise.resolve('waits')])).toBe('waits');
    await clock.advance(1);
    expect(await closing).toBe(
      'the start of the server, which waits for the storage, did not close within 30 s and was abandoned',
    );
    expect(await Promise.race([started, Promise.resolve('hangs')])).toBe('hangs');
  });

  test('an abandoned start begins no work when it continues', async () => {
    const clock = createManualClock();
    const storage = createMemoryStorage({ clock });
    let resume = (): void => undefined;
    const gate = new Promise<void>((resolve) => (resume = resolve));
    const server = new ApiServer({
      clock,
      limits: { closeTimeout: 1000 },
      storage: new Proxy<Storage>(storage, {
        get(target, key) {
          const member: unknown = Reflect.get(target, key);
          if (key === 'currentRevision') return () => gate.then(() => 1);
          return typeof member === 'function' ? (member.bind(target) as unknown) : member;
        },
      }),
    });
    const started = server.ready()?.catch((error: unknown) => error);
    const closing = messageOf(server.close());
    await clock.advance(1000);
    expect(await closing).toContain('within 1 s');
    resume();
    expect(await started).toEqual(new Error('the server was closed while it started'));
    expect(clock.pending).toBe(0);
  });

  test('closes although the storage does not', async () => {
    const clock = createManualClock();
    const server = new ApiServer({ clock, storage: hangingIn(clock, 'close') });
    await server.ready();
    const closing = messageOf(server.close());
    await clock.advance(30_000);
    expect(await closing).toBe('the storage did not close within 30 s and was abandoned');
  });
});
