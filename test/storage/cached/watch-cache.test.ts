import { describe, expect, it } from 'vitest';
import { watchCache } from '../../../src/storage/cached/index.js';
import { decorateStorage, MemoryBudget, StorageError, type Storage } from '../../../src/entries/storage.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { cachedStorage, filledCache } from '../../support/filled-cache.js';
import { RemoteStorage } from '../../support/remote-storage.js';
import { turnsDuring } from '../../support/turns.js';
import { ManualClock } from '../manual-clock.js';

const A = '/registry/a/1';
const B = '/registry/a/2';
const text = (value: string) => () => value;
const keys = async (storage: Storage): Promise<string[]> =>
  (await storage.list('/registry/')).records.map(({ key }) => key);
/** Lets promises that are ready settle. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An engine with one object, and a reader that is told when the cache answers. */
async function world() {
  const clock = new ManualClock();
  const engine = createMemoryStorage({ clock });
  await engine.create(A, text('first'));
  const remote = new RemoteStorage(engine);
  return { clock, engine, remote };
}

async function filled() {
  const { clock, engine, remote } = await world();
  const cache = await filledCache(remote.storage, { clock });
  remote.reads.length = 0;
  return { ...cache, clock, engine, remote };
}

describe('a watch cache', () => {
  it('reads nothing before a server uses the storage', async () => {
    const { clock, remote } = await world();
    const storage = watchCache({ clock })(remote.storage);
    expect((await storage.get(A)).record?.text).toBe('first');
    expect(storage.knownRevision?.()).toBe(0);
    expect([remote.reads, remote.watches]).toEqual([['get'], 0]);
  });

  it('asks the engine only for its revision, for gets, lists and selectors', async () => {
    const { storage, remote, statuses } = await filled();
    expect(statuses).toEqual([{ kind: 'serving', objects: 1, textBytes: A.length + 5, revision: 2 }]);
    const index = storage.index?.('/registry/', ({ text: value }) => ({ value }));
    expect((await Promise.all([storage.get(A), storage.get(A)])).map(({ record }) => record?.text)).toEqual([
      'first',
      'first',
    ]);
    expect(await keys(storage)).toEqual([A]);
    const query = { prefix: '/registry/', requirements: [{ attribute: 'value', values: ['first'] }] };
    expect((await index?.find(query))?.records.map(({ key }) => key)).toEqual([A]);
    expect(remote.reads).toEqual(['currentRevision', 'currentRevision', 'currentRevision']);
  });

  it('asks one question for all readers of a turn, and reads the key of one that is alone', async () => {
    const { storage, remote } = await filled();
    const index = storage.index?.('/registry/', ({ text: value }) => ({ value }));
    const query = { prefix: '/registry/', requirements: [{ attribute: 'value', values: ['first'] }] };
    const gets = Array.from({ length: 14 }, () => storage.get(A));
    const [found, listed, ...records] = await Promise.all([index?.find(query), keys(storage), ...gets]);
    expect(found?.records.map(({ key }) => key)).toEqual([A]);
    expect(listed).toEqual([A]);
    expect(records.map(({ record }) => record?.text)).toEqual(gets.map(() => 'first'));
    expect(remote.reads).toEqual(['currentRevision']);
    expect((await storage.get(A)).record?.text).toBe('first');
    expect(remote.reads).toEqual(['currentRevision', 'get']);
  });

  it('asks again for readers that come after a question was sent', async () => {
    const { clock, engine } = await world();
    const answers: (() => void)[] = [];
    let isHeld = false;
    const slow = decorateStorage(engine, {
      currentRevision: async () => {
        const revision = await engine.currentRevision();
        if (isHeld) await new Promise<void>((resolve) => answers.push(resolve));
        return revision;
      },
    });
    const { storage } = await filledCache(slow, { clock });
    isHeld = true;
    const early = [keys(storage), keys(storage)];
    await expect.poll(() => answers.length).toBe(1);
    await engine.create(B, text('second'));
    const late = [keys(storage), keys(storage)];
    await expect.poll(() => answers.length).toBe(2);
    for (const answer of answers) answer();
    expect(await Promise.all(late)).toEqual([
      [A, B],
      [A, B],
    ]);
    await Promise.all(early);
    expect(answers.length).toBe(2);
  });

  it('does not transfer a long text that it has', async () => {
    const { storage, remote } = await filled();
    await storage.create(B, text('x'.repeat(20_000)));
    expect((await storage.get(B)).record?.text.length).toBe(20_000);
    expect(remote.reads).toEqual(['currentRevision']);
  });

  it('returns the same instance from gets and lists', async () => {
    const { clock, engine } = await world();
    // An engine that does not remember its records.
    const forgetful = decorateStorage(engine, {
      get: async (key) => {
        const { record, revision } = await engine.get(key);
        return { record: record && { ...record }, revision };
      },
    });
    const { storage } = await filledCache(forgetful, { clock });
    expect((await storage.get(A)).record).toBe((await storage.list('')).records[0]);
  });

  it('asks nothing for a revision that it has, or for any', async () => {
    const { storage, remote, engine } = await filled();
    await engine.create(B, text('second'));
    const known = storage.knownRevision?.();
    expect(known).toBe(3);
    for (const notOlderThan of [0, 1, 3]) {
      expect((await storage.get(B, { notOlderThan })).record?.text).toBe('second');
      expect((await storage.list('/registry/', { notOlderThan })).revision).toBe(3);
    }
    expect((await storage.list('/registry/', { revision: 3 })).records.length).toBe(2);
    expect((await storage.list('/registry/', { revision: 2 })).records.length).toBe(1);
    expect(remote.reads).toEqual([]);
  });

  it('asks for a revision that it does not have, and leaves a future one to the engine', async () => {
    const { storage, remote, engine } = await filled();
    remote.hold();
    await engine.create(B, text('second'));
    const reading = storage.get(B, { notOlderThan: 3 });
    await settled();
    remote.release();
    expect((await reading).record?.text).toBe('second');
    await expect(storage.list('/registry/', { revision: 4 })).rejects.toMatchObject({ code: 'FutureRevision' });
    expect(remote.reads).toEqual(['currentRevision', 'currentRevision', 'list']);
  });

  it('waits until the watch has delivered the newest revision', async () => {
    const { storage, remote, engine } = await filled();
    remote.hold();
    await engine.create(B, text('second'));
    const reading = keys(storage);
    const other = storage.get(B);
    await settled();
    remote.release();
    expect(await reading).toEqual([A, B]);
    expect((await other).record?.text).toBe('second');
    expect(remote.reads).toEqual(['currentRevision']);
  });

  it('passes a read on when the watch is behind for three seconds, and others at once until it has caught up', async () => {
    const { storage, remote, engine, clock } = await filled();
    remote.hold();
    await engine.create(B, text('second'));
    const reading = keys(storage);
    await settled();
    clock.advance(2_999);
    await settled();
    expect(remote.reads).toEqual(['currentRevision']);
    clock.advance(1);
    expect(await reading).toEqual([A, B]);
    expect(await keys(storage)).toEqual([A, B]);
    expect(remote.reads).toEqual(['currentRevision', 'list', 'currentRevision', 'list']);
    clock.advance(5);
    remote.release();
    expect(await keys(storage)).toEqual([A, B]);
    expect(remote.reads.slice(4)).toEqual(['currentRevision']);
    expect(clock.pending).toBe(0);
  });

  it.each([[500], ['500ms']])('waits as long as the option says: %o', async (wait) => {
    const { clock, engine, remote } = await world();
    const { storage } = await filledCache(remote.storage, { clock, wait });
    remote.reads.length = 0;
    remote.hold();
    await engine.create(B, text('second'));
    const reading = keys(storage);
    await settled();
    clock.advance(499);
    await settled();
    expect(remote.reads).toEqual(['currentRevision']);
    clock.advance(1);
    expect(await reading).toEqual([A, B]);
    expect(remote.reads).toEqual(['currentRevision', 'list']);
    remote.release();
  });

  it('does not wait for progress that the engine cannot report', async () => {
    const { clock, engine } = await world();
    // Writes beside the store advance the revision, and the watch never learns of it.
    const remote = new RemoteStorage(
      decorateStorage(engine, { currentRevision: async () => (await engine.currentRevision()) + 1 }),
    );
    const { storage } = await filledCache(remote.storage, { clock });
    remote.reads.length = 0;
    const reading = keys(storage);
    await settled();
    clock.advance(5);
    expect(await reading).toEqual([A]);
    expect(remote.reads).toEqual(['currentRevision', 'list']);
  });

  it('shows a revision that progress reports without an event', async () => {
    const { clock, engine } = await world();
    let skipped = 0;
    const ahead = decorateStorage(engine, {
      currentRevision: async () => (await engine.currentRevision()) + skipped,
      watch: (prefix, from, sink) =>
        engine.watch(prefix, from, {
          events: (events) => sink.events(events),
          progress: (revision) => sink.progress(revision + skipped),
          end: (reason) => sink.end(reason),
        }),
    });
    const remote = new RemoteStorage(ahead);
    const { storage } = await filledCache(remote.storage, { clock });
    remote.reads.length = 0;
    skipped = 7;
    const reading = storage.list('/registry/');
    await settled();
    clock.advance(5);
    expect(await reading).toMatchObject({ records: [{ text: 'first' }], revision: 9 });
    expect(await storage.list('/registry/')).toMatchObject({ revision: 9 });
    expect(remote.reads).toEqual(['currentRevision', 'currentRevision']);
  });

  it('leaves states to the engine that are older than its history', async () => {
    const { storage, remote, engine, clock } = await filled();
    await engine.create(B, text('second'));
    expect((await storage.list('/registry/', { revision: 2 })).records.length).toBe(1);
    clock.advance(61_000);
    expect((await storage.list('/registry/', { revision: 2 })).records.length).toBe(1);
    expect(remote.reads).toEqual(['list']);
  });

  it.each([
    ['compacted', { kind: 'compacted', compactRevision: 5 }],
    ['failed', { kind: 'failed', error: new Error('cut') }],
  ] as const)('fills itself again when its watch ends (%s), and passes reads on meanwhile', async (_, reason) => {
    const { storage, remote, engine, clock, statuses, serving } = await filled();
    remote.end(reason);
    await engine.create(B, text('second'));
    await settled();
    expect(statuses.at(-1)).toMatchObject({ kind: 'passing', reason: 'interrupted', retryAfter: 100 });
    expect(await keys(storage)).toEqual([A, B]);
    expect(remote.reads).toEqual(['list']);
    clock.advance(100);
    await serving(2);
    remote.reads.length = 0;
    expect(await keys(storage)).toEqual([A, B]);
    await storage.delete(A, text('first'), 2);
    expect(await keys(storage)).toEqual([B]);
    expect(remote.reads).toEqual(['currentRevision', 'currentRevision']);
    expect(remote.watches).toBe(1);
  });

  it('answers the reads that wait when its watch ends by the engine', async () => {
    const { storage, remote, engine } = await filled();
    remote.hold();
    await engine.create(B, text('second'));
    const reading = keys(storage);
    await settled();
    remote.end({ kind: 'failed', error: new Error('cut') });
    expect(await reading).toEqual([A, B]);
    expect(remote.reads).toEqual(['currentRevision', 'list']);
  });

  it('keeps an index across a new state', async () => {
    const { storage, remote, engine, clock, serving } = await filled();
    const index = storage.index?.('/registry/', ({ text: value }) => ({ value }));
    const find = async (value: string) =>
      (await index?.find({ prefix: '/registry/', requirements: [{ attribute: 'value', values: [value] }] }))?.records;
    expect((await find('first'))?.length).toBe(1);
    remote.end({ kind: 'failed', error: new Error('cut') });
    expect(await find('first')).toBeUndefined();
    await engine.create(B, text('second'));
    await settled();
    clock.advance(100);
    await serving(2);
    expect((await find('second'))?.map(({ key }) => key)).toEqual([B]);
    index?.drop();
    expect(await find('second')).toBeUndefined();
  });

  it('fills itself again when an event does not follow from its state', async () => {
    const { clock, engine } = await world();
    const lossy = decorateStorage(engine, {
      watch: (prefix, from, sink) =>
        engine.watch(prefix, from, {
          events: (events) => sink.events(events.filter(({ type }) => type !== 'create')),
          progress: (revision) => sink.progress(revision),
          end: (reason) => sink.end(reason),
        }),
    });
    const { storage, until, serving } = await filledCache(lossy, { clock });
    const { modRevision } = await engine.create(B, text('second'));
    await engine.update(B, text('third'), modRevision);
    expect(await until(({ kind }) => kind === 'passing')).toMatchObject({
      reason: 'interrupted',
      message: `the update of ${B} at revision 4 does not follow from the state in the cache`,
    });
    expect((await storage.get(B)).record?.text).toBe('third');
    clock.advance(100);
    await serving(2);
    expect((await storage.get(B)).record?.text).toBe('third');
  });

  it('does not hold a store that is larger than the limit, says so, and tries again later', async () => {
    const { clock, engine, remote } = await world();
    const { storage, until, serving } = cachedStorage(remote.storage, { clock, maxTextBytes: 40 });
    await serving();
    const large = await storage.create(B, text('x'.repeat(40)));
    expect(await until(({ kind }) => kind === 'passing')).toEqual({
      kind: 'passing',
      reason: 'limit',
      message: 'the objects of the store have more than 40 bytes of text (limits.objectsTextBytes, --max-objects-text)',
      retryAfter: 300_000,
    });
    remote.reads.length = 0;
    expect(await keys(storage)).toEqual([A, B]);
    expect(remote.reads).toEqual(['list']);
    expect(remote.watches).toBe(0);
    await engine.delete(B, text('x'), large.modRevision);
    clock.advance(300_000);
    await serving(2);
    remote.reads.length = 0;
    expect(await keys(storage)).toEqual([A]);
    expect(remote.reads).toEqual(['currentRevision']);
  });

  it('has the limit of the server when it has none of its own', async () => {
    const { clock, remote } = await world();
    const budget = new MemoryBudget();
    budget.limitObjectsText(10);
    const { until } = cachedStorage(remote.storage, { clock }, budget);
    expect(await until(({ kind }) => kind === 'passing')).toMatchObject({ reason: 'limit' });
    expect(budget.usedFor('watchCache')).toBe(0);
  });

  it('counts its objects, and is given up when the memory is needed', async () => {
    const { clock, engine, remote } = await world();
    const budget = new MemoryBudget({ memoryBytes: 10_000 });
    const { storage, until, serving } = cachedStorage(remote.storage, { clock }, budget);
    await serving();
    expect(budget.usedFor('watchCache')).toBe(256 + A.length + 5);
    await engine.create(B, text('second'));
    expect(budget.usedFor('watchCache')).toBe(2 * (256 + A.length) + 11);
    const bodies = budget.open('bodies');
    expect(bodies.tryHold(9_100)).toBe(true);
    expect(await until(({ kind }) => kind === 'passing')).toMatchObject({ reason: 'memory', retryAfter: 300_000 });
    expect(budget.usedFor('watchCache')).toBe(0);
    remote.reads.length = 0;
    expect(await keys(storage)).toEqual([A, B]);
    expect(remote.reads).toEqual(['list']);
    bodies.close();
    clock.advance(300_000);
    await serving(2);
    expect(budget.usedFor('watchCache')).toBe(2 * (256 + A.length) + 11);
    await storage.close();
    expect(budget.usedFor('watchCache')).toBe(0);
  });

  it('is filled in the turns of the event loop, with the writes made meanwhile', async () => {
    const { clock, engine, remote } = await world();
    for (let index = 0; index < 5_000; index += 1) await engine.create(`/registry/b/${index}`, text('text'));
    let storage: Storage | undefined;
    const turns = await turnsDuring(async () => {
      const filling = cachedStorage(remote.storage, { clock });
      storage = filling.storage;
      await settled();
      await engine.create(B, text('meanwhile'));
      await filling.serving();
    });
    expect(turns).toBeGreaterThan(50);
    remote.reads.length = 0;
    expect((await storage?.list('/registry/'))?.records.length).toBe(5_002);
    expect(remote.reads).toEqual(['currentRevision']);
  });

  it('begins again when a compaction overtakes the list that fills it', async () => {
    const { clock, engine } = await world();
    let failures = 2;
    const compacting = decorateStorage(engine, {
      list: (prefix, options) => {
        if (failures === 0) return engine.list(prefix, options);
        failures -= 1;
        return Promise.reject(new StorageError('Compacted', { revision: 9, message: 'Compacted' }));
      },
    });
    const { statuses, serving, until } = cachedStorage(compacting, { clock });
    await until(({ kind }) => kind === 'passing');
    await settled();
    clock.advance(100);
    await settled();
    await settled();
    clock.advance(200);
    await serving();
    expect(statuses.map((status) => (status.kind === 'passing' ? [status.message, status.retryAfter] : []))).toEqual([
      ['the objects cannot be read: Compacted', 100],
      ['the objects cannot be read: Compacted', 200],
      [],
    ]);
  });

  it('fails a read when the engine does, and ends its waits when it is closed', async () => {
    const { storage, remote, engine, clock } = await filled();
    remote.hold();
    await engine.create(B, text('second'));
    const reading = storage.list('');
    await settled();
    await storage.close();
    await expect(reading).rejects.toMatchObject({ code: 'Unavailable' });
    await expect(storage.list('')).rejects.toMatchObject({ code: 'Unavailable' });
    expect(clock.pending).toBe(0);
  });

  it('ignores what onStatus throws', async () => {
    const { clock, remote } = await world();
    let calls = 0;
    const storage = watchCache({
      clock,
      onStatus: () => {
        calls += 1;
        throw new Error('no');
      },
    })(remote.storage);
    storage.shareBudget?.(new MemoryBudget());
    while (calls === 0) await settled();
    expect(await keys(storage)).toEqual([A]);
  });

  it.each([
    [{ maxTextBytes: 0 }, 'maxTextBytes: 0 must be greater than 0'],
    [{ maxTextBytes: Number.NaN }, 'maxTextBytes: NaN must be greater than 0'],
    [{ wait: -1 }, 'watchCache: the option wait must be milliseconds, or a string such as "5s" or "1m30s", got -1'],
    [
      { wait: 'soon' },
      'watchCache: the option wait must be milliseconds, or a string such as "5s" or "1m30s", got "soon"',
    ],
  ])('refuses %o', (options, message) => {
    expect(() => watchCache({ clock: new ManualClock(), ...options })).toThrow(message);
  });
});
