/** Work on long histories leaves turns of the event loop to others, and has the same result as in one go. */
import { describe, expect, it } from 'vitest';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { MemoryBudget } from '../../../src/storage/memory-budget.js';
import type { Storage, StorageEvent } from '../../../src/entries/storage.js';
import { fillStore, takeSnapshot } from '../../../src/storage/transfer/index.js';
import { turnsDuring } from '../../support/turns.js';
import { ManualClock } from '../manual-clock.js';

const MANY = 12_000;
const keyOf = (index: number): string => `/a/${String(index).padStart(6, '0')}`;

function made(historyMs = 1_000): { readonly storage: Storage; readonly clock: ManualClock } {
  const clock = new ManualClock();
  return { clock, storage: createMemoryStorage({ clock, history: historyMs, maxHistoryBytes: 1 << 30 }) };
}

async function fill(storage: Storage, count = MANY): Promise<void> {
  for (let index = 0; index < count; index += 1) await storage.create(keyOf(index), () => 'text');
}

describe('a long history', () => {
  it('is compacted at once, and released in turns', async () => {
    const { storage } = made();
    await fill(storage);
    const budget = new MemoryBudget({ historyBytes: 1 << 30 });
    storage.shareBudget?.(budget);
    const turns = await turnsDuring(async () => {
      const compacting = storage.compact(MANY);
      expect(await storage.compactedRevision()).toBe(MANY);
      await expect(storage.list('/', { revision: MANY - 1 })).rejects.toMatchObject({ code: 'Compacted' });
      await compacting;
    });
    expect(turns).toBeGreaterThan(1);
    expect(budget.keptBytes).toBe(256);
    await storage.close();
    expect(budget.keptBytes).toBe(0);
  });

  it('expires in turns, beside writes', async () => {
    const { storage, clock } = made();
    await fill(storage);
    clock.advance(1_001);
    expect(await storage.compactedRevision()).toBe(MANY + 1);
    for (let index = 0; index < 100; index += 1) await storage.create(`/b/${index}`, () => 'text');
    const { records } = await storage.list('/b/', { revision: MANY + 51 });
    expect(records).toHaveLength(50);
    clock.advance(1_001);
    expect(await storage.compactedRevision()).toBe(MANY + 101);
  });

  it('is counted against a budget in turns', async () => {
    const { storage } = made();
    await fill(storage);
    const budget = new MemoryBudget({ historyBytes: 1 << 30 });
    expect(
      await turnsDuring(async () => {
        storage.shareBudget?.(budget);
        while (budget.keptBytes < 256 * MANY) await new Promise((resolve) => setImmediate(resolve));
      }),
    ).toBeGreaterThan(1);
    expect(budget.keptBytes).toBe(256 * MANY);
    const other = new MemoryBudget({ historyBytes: 1 << 30 });
    storage.shareBudget?.(other);
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect([budget.keptBytes, other.keptBytes]).toEqual([0, 256 * MANY]);
  });

  it('that exceeds a budget is dropped to its limit', async () => {
    const { storage } = made();
    await fill(storage);
    const budget = new MemoryBudget({ historyBytes: 256 * 100 });
    storage.shareBudget?.(budget);
    for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(budget.keptBytes).toBe(256 * 100);
    expect(await storage.compactedRevision()).toBe(MANY + 1 - 100);
  });

  it('reaches a new watch in turns: every event once and in order, with those of writes meanwhile', async () => {
    const { storage } = made();
    await fill(storage, 3 * MANY);
    const seen: number[] = [];
    let progress = 0;
    const turns = await turnsDuring(async () => {
      const watch = storage.watch('/a/', 1, {
        events: (events: readonly StorageEvent[]) => {
          seen.push(...events.map(({ revision }) => revision));
          // A write during a delivery comes after it.
          if (seen.length < 4_000) void storage.create(`/a/during-${seen.length}`, () => 'text');
        },
        progress: (revision) => (progress = revision),
        end: () => undefined,
      });
      watch.requestProgress();
      for (let index = 0; progress === 0; index += 1) {
        await storage.create(`/b/${index}`, () => 'other');
        await storage.create(`/a/beside-${index}`, () => 'text');
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    expect(turns).toBeGreaterThan(3);
    const all: number[] = [];
    for (const { modRevision } of (await storage.list('/a/')).records) all.push(modRevision);
    expect(seen).toEqual(all.sort((left, right) => left - right));
    expect(progress).toBeGreaterThan(MANY);
  });

  it('reaches several new watches of any prefix, also one that starts after a write and one that is stopped', async () => {
    const { storage } = made();
    await fill(storage);
    await storage.create('/c/1', () => 'text');
    const started: { readonly prefix: string; readonly seen: number[]; progress: number }[] = [];
    const start = (prefix: string): ReturnType<Storage['watch']> => {
      const one = { prefix, seen: new Array<number>(), progress: 0 };
      started.push(one);
      return storage.watch(prefix, 1, {
        events: (events) => one.seen.push(...events.map(({ revision }) => revision)),
        progress: (revision) => (one.progress = revision),
        end: () => undefined,
      });
    };
    for (const prefix of ['/a/', '/a/00', '/', '/c/', '/none/']) start(prefix);
    const stopped = start('/a/');
    // A write before a watch that gets the past together with the others.
    const writing = storage.create('/a/between', () => 'text');
    start('/a/');
    stopped.stop();
    await writing;
    await storage.create('/c/2', () => 'text');
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const { records, revision } = await storage.list('/');
    const revisionsOf = (prefix: string): number[] =>
      records
        .filter(({ key }) => key.startsWith(prefix))
        .map(({ modRevision }) => modRevision)
        .sort((left, right) => left - right);
    const [others, last] = [started.filter((_, index) => index !== 5), started[5]];
    for (const { prefix, seen } of others) expect([prefix, seen]).toEqual([prefix, revisionsOf(prefix)]);
    expect(last?.seen).toEqual([]);
    // Progress is reported where the newest event was not for the watch.
    expect(started.find(({ prefix }) => prefix === '/none/')?.progress).toBe(revision);
    await storage.close();
  });

  it('leads to the state of an old revision in turns', async () => {
    const { storage } = made();
    await fill(storage, 100);
    for (let index = 0; index < MANY; index += 1) await storage.create(`/b/${index}`, () => 'text');
    let listed = 0;
    const turns = await turnsDuring(async () => {
      listed = (await storage.list('/', { revision: 101 })).records.length;
    });
    expect([listed, turns > 2]).toEqual([100, true]);
  });
});

describe('a copy of a store', () => {
  it('is made in turns', async () => {
    const [{ storage: from }, { storage: to, clock }] = [made(), made()];
    await fill(from);
    const turns = await turnsDuring(async () =>
      fillStore(to, await takeSnapshot(from), { clock, stampRevision: (text) => text }),
    );
    expect(turns).toBeGreaterThan(10);
    expect((await to.list('/a/', { limit: 1 })).remaining).toBe(MANY - 1);
  });
});
