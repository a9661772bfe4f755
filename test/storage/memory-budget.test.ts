import { describe, expect, it } from 'vitest';
import { WatchDispatcher } from '../../src/storage/remote/watch-dispatcher.js';
import { KeySpace } from '../../src/storage/etcd/key-space.js';
import { Records } from '../../src/storage/etcd/records.js';
import { defaultHistoryBytes, ENTRY_BYTES } from '../../src/storage/memory-budget.js';
import {
  MemoryBudget,
  type CacheUse,
  type HistoryHolder,
  type Storage,
  type StorageEvent,
} from '../../src/entries/storage.js';
import { createMemoryStorage } from '../../src/storage/memory/index.js';
import { createEvent, replaceEvent } from '../../src/storage/state/records/record.js';
import { limitsOf } from '../../src/storage/state/history-options.js';
import { ManualClock } from './manual-clock.js';

/** Keeps events, as a history or a log does. */
class Shelf implements HistoryHolder {
  events: StorageEvent[] = [];

  constructor(readonly budget: MemoryBudget) {
    budget.join(this);
  }

  get oldestRevision(): number | undefined {
    return this.events[0]?.revision;
  }

  add(event: StorageEvent): void {
    this.events.push(event);
    this.budget.hold(event);
  }

  dropUpTo(revision: number): void {
    for (const event of this.events.filter((each) => each.revision <= revision)) this.budget.release(event);
    this.events = this.events.filter((event) => event.revision > revision);
  }

  get revisions(): number[] {
    return this.events.map(({ revision }) => revision);
  }
}

/** A key that is created and updated: an event for each revision from 2 on. */
function writes(count: number, length = 1000): StorageEvent[] {
  const events: StorageEvent[] = [createEvent('/a', 'x'.repeat(length), 2, undefined)];
  while (events.length < count) {
    const { record } = events.at(-1) as StorageEvent;
    events.push(replaceEvent('update', record, 'x'.repeat(length), record.modRevision + 1, undefined));
  }
  return events;
}

describe('a history budget', () => {
  it('counts a text once, however many holders share it, until the last one releases it', () => {
    const budget = new MemoryBudget({ historyBytes: 1e6 });
    const [first, second] = [new Shelf(budget), new Shelf(budget)];
    for (const event of writes(3)) {
      first.add(event);
      second.add(event);
    }
    expect(budget.keptBytes).toBe(6 * ENTRY_BYTES + 2000);
    first.dropUpTo(4);
    expect(budget.keptBytes).toBe(3 * ENTRY_BYTES + 2000);
    second.dropUpTo(4);
    expect(budget.keptBytes).toBe(0);
  });

  it('counts the current version only when it is deleted', () => {
    const budget = new MemoryBudget({ historyBytes: 1e6 });
    const shelf = new Shelf(budget);
    const [made] = writes(1) as [StorageEvent];
    shelf.add(made);
    expect(budget.keptBytes).toBe(ENTRY_BYTES);
    shelf.add(replaceEvent('delete', made.record, 'y'.repeat(500), 3, undefined));
    expect(budget.keptBytes).toBe(2 * ENTRY_BYTES + 1000 + 500);
  });

  it('makes all holders alike forget the oldest events, and no more than needed', () => {
    const budget = new MemoryBudget({ historyBytes: 2 * ENTRY_BYTES * 3 + 3000 });
    const [first, second] = [new Shelf(budget), new Shelf(budget)];
    for (const event of writes(10)) {
      first.add(event);
      second.add(event);
      budget.enforceLimit();
    }
    expect([first.revisions, second.revisions]).toEqual([
      [9, 10, 11],
      [9, 10, 11],
    ]);
    expect(budget.keptBytes).toBeLessThanOrEqual(budget.historyBytes);
  });

  it('makes the holder of the oldest write drop it', () => {
    const budget = new MemoryBudget({ historyBytes: 3 * ENTRY_BYTES });
    const [quiet, busy] = [new Shelf(budget), new Shelf(budget)];
    const events = writes(6, 0);
    quiet.add(events[0] as StorageEvent);
    for (const event of events.slice(1)) busy.add(event);
    budget.enforceLimit();
    expect([quiet.revisions, busy.revisions]).toEqual([[], [5, 6, 7]]);
  });

  it('keeps the newest write, however large it is', () => {
    const budget = new MemoryBudget({ historyBytes: 1 });
    const shelf = new Shelf(budget);
    for (const event of writes(3)) {
      shelf.add(event);
      budget.enforceLimit();
    }
    expect(shelf.revisions).toEqual([4]);
  });

  it("is by default a quarter of the host's heap limit", async () => {
    const { getHeapStatistics } = await import('node:v8');
    expect(new MemoryBudget().historyBytes).toBe(Math.floor(getHeapStatistics().heap_size_limit / 4));
    expect(defaultHistoryBytes(0.5)).toBe(Math.floor(getHeapStatistics().heap_size_limit / 2));
  });
});

const text =
  (value: string) =>
  (revision: number): string =>
    `${revision} ${value}`;

async function overwrite(storage: Storage, key: string, times: number, length: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    const { record } = await storage.get(key);
    await (record === undefined
      ? storage.create(key, text('x'.repeat(length)))
      : storage.update(key, text('x'.repeat(length)), record.modRevision));
  }
}

describe('a memory store with a budget', () => {
  it.each([
    ['small', 1000, 500],
    ['large', 1_500_000, 40],
  ])('keeps as many %s values as fit', async (_size, length, times) => {
    const storage = createMemoryStorage({ clock: new ManualClock() });
    const budget = new MemoryBudget({ historyBytes: 10 * (ENTRY_BYTES + length + 4) });
    storage.shareBudget?.(budget);
    await overwrite(storage, '/a', times, length);
    expect(budget.keptBytes).toBeLessThanOrEqual(budget.historyBytes);
    expect([await storage.currentRevision(), await storage.compactedRevision()]).toEqual([times + 1, times + 1 - 10]);
  });

  it('counts the existing history, and releases it when it gets another budget or is closed', async () => {
    const storage = createMemoryStorage({ clock: new ManualClock() });
    await overwrite(storage, '/a', 11, 1000);
    const [first, second] = [
      new MemoryBudget({ historyBytes: 1e6 }),
      new MemoryBudget({ historyBytes: 5 * (ENTRY_BYTES + 1004) }),
    ];
    storage.shareBudget?.(first);
    expect(first.usedBytes).toBeGreaterThan(10 * 1000);
    storage.shareBudget?.(second);
    expect([first.usedBytes, await storage.compactedRevision()]).toEqual([0, 7]);
    await storage.close();
    expect(second.usedBytes).toBe(0);
  });

  it('counts old states that are being read, and forgets compacted ones', async () => {
    const storage = createMemoryStorage({ clock: new ManualClock() });
    const budget = new MemoryBudget({ historyBytes: 1e6 });
    storage.shareBudget?.(budget);
    for (let index = 0; index < 100; index += 1) await storage.create(`/${index}`, text('x'));
    const before = budget.keptBytes;
    await storage.list('/', { revision: 2, limit: 1 });
    expect(budget.keptBytes - before).toBe(99 * 128);
    await storage.compact(50);
    expect(budget.keptBytes).toBe(51 * ENTRY_BYTES);
  });
});

describe('the parts of a store in etcd with a budget', () => {
  it('forget the oldest events first', () => {
    const budget = new MemoryBudget({ historyBytes: 20 * (ENTRY_BYTES + 1000) });
    let position = 1;
    const dispatcher = new WatchDispatcher(
      { clock: new ManualClock(), limits: limitsOf({}), position: () => position, catchUp: () => Promise.resolve() },
      1,
    );
    dispatcher.shareBudget(budget);
    const ends: unknown[] = [];
    const seen: number[] = [];
    const sink = {
      events: (events: readonly StorageEvent[]) => seen.push(...events.map(({ revision }) => revision)),
      progress: () => undefined,
      end: (reason: unknown) => ends.push(reason),
    };
    dispatcher.watch('/', 1, sink);
    const events = writes(200);
    for (let at = 0; at < events.length; at += 50) {
      position = (events[at + 49] as StorageEvent).revision;
      dispatcher.events(events.slice(at, at + 50));
    }
    expect([budget.keptBytes <= budget.historyBytes, dispatcher.compactedRevision()]).toEqual([true, 181]);
    // A running watch misses no event; one from an older revision gets an error.
    expect([seen.length, ends]).toEqual([200, []]);
    dispatcher.watch('/', 180, sink);
    expect(ends).toEqual([{ kind: 'compacted', compactRevision: 181 }]);
    dispatcher.close();
    expect(budget.keptBytes).toBe(0);
  });

  it('cache recently read versions, within a part of the budget', () => {
    const budget = new MemoryBudget({ historyBytes: 40_000 });
    const records = new Records(new KeySpace('/registry'), 1e9);
    records.shareBudget(budget);
    const bytes = Buffer.from(
      JSON.stringify({ kind: 'Sample', apiVersion: 'v1', metadata: { resourceVersion: '0' }, data: 'x'.repeat(1000) }),
    );
    const value = { bytes, protection: undefined };
    for (let revision = 2; revision < 200; revision += 1)
      records.written('/a', value, { revision, createRevision: 2 }, undefined);
    expect(budget.keptBytes).toBeGreaterThan(8_000);
    expect(budget.keptBytes).toBeLessThanOrEqual(10_000);
    records.clear();
    expect(budget.keptBytes).toBe(0);
  });
});

/** A cache that gives up everything, and writes down that it did. */
function cacheOf(
  budget: MemoryBudget,
  use: CacheUse | 'recordings' | 'watchBuffers',
  bytes: number,
  given: string[],
): void {
  const account = budget.openCache(use, () => {
    given.push(use);
    account.hold(-account.usedBytes);
  });
  account.hold(bytes);
}

describe('a memory budget', () => {
  it('gives up recordings before all else, which only people look at', () => {
    const budget = new MemoryBudget({ historyBytes: 1000, memoryBytes: 3000 });
    const given: string[] = [];
    for (const use of ['encodings', 'recordings'] as const) cacheOf(budget, use, 1000, given);
    // They take nothing from the history and the caches.
    expect(budget.keptBytes).toBe(1000);
    const bodies = budget.open('bodies');
    expect([bodies.tryHold(1000), given]).toEqual([true, []]);
    expect([bodies.tryHold(1000), given]).toEqual([true, ['recordings']]);
    expect([bodies.tryHold(1000), given]).toEqual([true, ['recordings', 'encodings']]);
  });

  it('gives up encodings, indexes, decoded forms, compiled definitions, slow watchers and then the oldest history, as far as needed memory requires', () => {
    const budget = new MemoryBudget({ historyBytes: 10_000, memoryBytes: 10_000 });
    const given: string[] = [];
    for (const use of ['watchBuffers', 'compiled', 'decodedForms', 'encodings', 'indexes'] as const)
      cacheOf(budget, use, 1000, given);
    const shelf = new Shelf(budget);
    for (const event of writes(5)) shelf.add(event);
    const history = budget.usedFor('history');
    const bodies = budget.open('bodies');
    const room = budget.memoryBytes - 5000 - history;
    const steps = [room, 1, 1000, 1000, 1000, 1000, 1000].map((bytes) => [
      bodies.tryHold(bytes),
      given.length,
      shelf.events.length,
    ]);
    expect(steps).toEqual([
      [true, 0, 5],
      [true, 1, 5],
      [true, 2, 5],
      [true, 3, 5],
      [true, 4, 5],
      [true, 5, 5],
      [true, 5, 4],
    ]);
    expect(given).toEqual(['encodings', 'indexes', 'decodedForms', 'compiled', 'watchBuffers']);
    expect(budget.usedBytes).toBeLessThanOrEqual(budget.memoryBytes);
  });

  it('refuses what does not fit even then, counts nothing for it, and gives nothing up in vain', () => {
    const budget = new MemoryBudget({ historyBytes: 1000, memoryBytes: 1000 });
    const given: string[] = [];
    cacheOf(budget, 'encodings', 500, given);
    const [bodies, objects] = [budget.open('bodies'), budget.open('objects')];
    expect(bodies.tryHold(1001)).toBe(false);
    expect(given).toEqual([]);
    expect(bodies.tryHold(900)).toBe(true);
    expect(objects.tryHold(101)).toBe(false);
    expect([budget.usedBytes, budget.usedFor('objects')]).toEqual([900, 0]);
    bodies.hold(-900);
    expect(objects.tryHold(101)).toBe(true);
  });

  it('gives up memory when needed memory was counted without asking, at the next write', () => {
    const budget = new MemoryBudget({ historyBytes: 5000, memoryBytes: 5000 });
    const given: string[] = [];
    cacheOf(budget, 'indexes', 1000, given);
    const shelf = new Shelf(budget);
    for (const event of writes(3)) shelf.add(event);
    budget.open('objects').hold(4000);
    budget.enforceLimit();
    expect([given, shelf.revisions]).toEqual([['indexes'], [4]]);
  });

  it('lets caches stay when only the history exceeds its own limit', () => {
    const budget = new MemoryBudget({ historyBytes: 3000, memoryBytes: 1e6 });
    const given: string[] = [];
    cacheOf(budget, 'encodings', 1000, given);
    const shelf = new Shelf(budget);
    for (const event of writes(5)) {
      shelf.add(event);
      budget.enforceLimit();
    }
    expect(given).toEqual([]);
    expect(shelf.revisions).toEqual([6]);
  });

  it('forgets what a closed account held', () => {
    const budget = new MemoryBudget();
    const account = budget.openCache('encodings', () => undefined);
    account.hold(100);
    account.close();
    expect([budget.usedBytes, budget.keptBytes, budget.usedFor('encodings')]).toEqual([0, 0, 0]);
  });
});
