/** History that nobody uses is dropped when it is too old, and not before. */
import { describe, expect, it } from 'vitest';
import { decorateStorage, MemoryBudget, type Storage } from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createEvent } from '../../src/storage/state/records/record.js';
import { WatchDispatcher } from '../../src/storage/remote/watch-dispatcher.js';
import { filledCache } from '../support/filled-cache.js';
import { turnsDuring } from '../support/turns.js';
import { ManualClock } from './manual-clock.js';

const MINUTE = 60_000;
const WRITES = 2_000;
/** Bytes of the history after {@link fill}: each write but the first keeps the version before it. */
const BYTES = WRITES * 256 + (WRITES - 1) * 100;

/** Writes one key often, all at one time. Returns the last revision. */
async function fill(storage: Storage, writes = WRITES): Promise<number> {
  const encode = (): string => 'x'.repeat(100);
  let { modRevision } = await storage.create('/a', encode);
  for (let write = 1; write < writes; write += 1) ({ modRevision } = await storage.update('/a', encode, modRevision));
  return modRevision;
}

async function filled() {
  const clock = new ManualClock();
  const storage = createMemoryStorage({ clock, history: '5m' });
  const budget = new MemoryBudget();
  storage.shareBudget?.(budget);
  await fill(storage);
  return { clock, storage, budget };
}

/** Waits for the turns in which memory is released. */
async function released(budget: MemoryBudget, left = 0): Promise<void> {
  while (budget.usedFor('history') > left) await new Promise((resolve) => setImmediate(resolve));
}

describe('a long history of a store', () => {
  it('is dropped when it expires although nobody reads or writes, and has a timer until then', async () => {
    const { clock, storage, budget } = await filled();
    expect([budget.usedFor('history'), clock.pending]).toEqual([BYTES, 1]);
    clock.advance(5 * MINUTE);
    expect([budget.usedFor('history'), clock.pending]).toEqual([BYTES, 1]);
    expect((await storage.list('/', { revision: 3 })).records).toHaveLength(1);
    clock.advance(1);
    await released(budget);
    expect(clock.pending).toBe(0);
    await expect(storage.list('/', { revision: 3 })).rejects.toMatchObject({ code: 'Compacted' });
  });

  it('is dropped in several turns', async () => {
    const { clock, budget } = await filled();
    const turns = await turnsDuring(async () => {
      clock.advance(5 * MINUTE + 1);
      expect(budget.usedFor('history')).toBeGreaterThan(0);
      await released(budget);
    });
    expect(turns).toBeGreaterThan(1);
  });

  it('keeps its younger events, and is looked at again for them, once a minute at most', async () => {
    const { clock, storage, budget } = await filled();
    clock.advance(10_000);
    const record = (await storage.get('/a')).record;
    const { modRevision } = await storage.update('/a', () => 'young', record?.modRevision ?? 0);
    clock.advance(5 * MINUTE);
    await released(budget, 356);
    expect([budget.usedFor('history'), clock.pending]).toEqual([356, 1]);
    expect(await storage.compactedRevision()).toBe(modRevision - 1);
    clock.advance(50_000);
    expect(budget.usedFor('history')).toBe(356);
    clock.advance(1);
    expect([budget.usedFor('history'), clock.pending]).toEqual([0, 0]);
  });

  it('has no timer when it is compacted', async () => {
    const { clock, storage } = await filled();
    await storage.compact(await storage.currentRevision());
    expect(clock.pending).toBe(0);
  });

  it('has no timer when its store is closed', async () => {
    const { clock, storage } = await filled();
    await storage.close();
    expect(clock.pending).toBe(0);
  });

  it('is dropped from a fork by its own clock, until the fork is closed', async () => {
    const { clock, storage, budget } = await filled();
    const [one, other] = [new ManualClock(clock.now()), new ManualClock(clock.now())];
    const forks = [one, other].map((its) => storage.fork?.({ clock: its }));
    expect([one.pending, other.pending]).toEqual([1, 1]);
    one.advance(5 * MINUTE + 1);
    expect([one.pending, other.pending, clock.pending]).toEqual([0, 1, 1]);
    await forks[1]?.close();
    expect([other.pending, clock.pending, budget.usedFor('history')]).toEqual([0, 1, BYTES]);
    expect(await forks[0]?.compactedRevision()).toBe(WRITES + 1);
    expect(await storage.compactedRevision()).toBe(0);
  });

  it('is looked at again when the wall clock has stepped back', async () => {
    const { clock, budget } = await filled();
    clock.jump(-MINUTE * 60);
    clock.advance(5 * MINUTE + 1);
    expect([budget.usedFor('history'), clock.pending]).toEqual([BYTES, 1]);
    clock.advance(MINUTE * 60 + 1);
    await released(budget);
    expect(clock.pending).toBe(0);
  });
});

it('a short history has no timer', async () => {
  const clock = new ManualClock();
  const storage = createMemoryStorage({ clock, history: '5m' });
  await fill(storage, 500);
  expect(clock.pending).toBe(0);
});

it('the history of a watch cache is dropped when it expires', async () => {
  const clock = new ManualClock();
  const engine = createMemoryStorage({ clock, history: '1h' });
  const { storage, budget } = await filledCache(decorateStorage(engine, { shareBudget: () => undefined }), { clock });
  await fill(engine);
  expect(budget.usedFor('history')).toBe(BYTES);
  clock.advance(MINUTE + 1);
  await released(budget);
  expect(clock.pending).toBe(1);
  await storage.close();
  expect(clock.pending).toBe(0);
});

describe('the history of an engine that several servers share', () => {
  function made() {
    const clock = new ManualClock();
    let position = 1;
    const dispatcher = new WatchDispatcher(
      {
        ...{ clock, position: () => position, catchUp: () => Promise.resolve() },
        limits: { historyMs: 5 * MINUTE, maxEvents: 1_000_000, maxBytes: undefined },
      },
      1,
    );
    const budget = new MemoryBudget();
    dispatcher.shareBudget(budget);
    const events = Array.from({ length: WRITES }, (_, index) => createEvent(`/${index}`, 'x', index + 2, undefined));
    position = WRITES + 1;
    dispatcher.events(events);
    return { clock, dispatcher, budget };
  }

  it('is dropped when it expires', async () => {
    const { clock, budget } = made();
    clock.advance(5 * MINUTE);
    expect([budget.usedFor('history'), clock.pending]).toEqual([256 * WRITES, 1]);
    clock.advance(1);
    await released(budget);
    expect(clock.pending).toBe(0);
  });

  it.each<[string, (dispatcher: WatchDispatcher) => void]>([
    ['compacted', (dispatcher) => dispatcher.compact(WRITES + 1)],
    ['lost', (dispatcher) => dispatcher.lose({ kind: 'compacted', compactRevision: WRITES + 1 }, WRITES + 1)],
    ['dropped for the budget', (dispatcher) => dispatcher.dropUpTo(WRITES + 1)],
    ['closed', (dispatcher) => dispatcher.close()],
  ])('has no timer when it is %s', (_, end) => {
    const { clock, dispatcher } = made();
    end(dispatcher);
    expect(clock.pending).toBe(0);
  });
});
