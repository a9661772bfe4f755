import { describe, expect, test } from 'vitest';
import { createManualClock, seededEntropy } from '../../src/entries/testing.js';
import { delay } from '../../src/foundation/time/clock.js';
import { loading } from '../../src/foundation/async/loading.js';
import { nextTurn } from '../../src/foundation/index.js';

describe('a manual clock', () => {
  test('stands still', () => {
    const clock = createManualClock();
    expect([clock.now(), clock.now()]).toEqual([
      Date.parse('2024-01-01T00:00:00Z'),
      Date.parse('2024-01-01T00:00:00Z'),
    ]);
    expect(createManualClock(5).now()).toBe(5);
  });

  test('fires timers in order of time, then of setting, each at its own time', async () => {
    const clock = createManualClock(0);
    const fired: string[] = [];
    const set = (name: string, ms: number): void => void clock.after(ms, () => fired.push(`${name} at ${clock.now()}`));
    set('late', 30);
    set('first', 10);
    set('second', 10);
    set('past', -5);
    set('never', 31);
    await clock.advance(30);
    expect(fired).toEqual(['past at 0', 'first at 10', 'second at 10', 'late at 30']);
    expect([clock.now(), clock.pending]).toEqual([30, 1]);
  });

  test('does not fire a cancelled timer, even one cancelled by another of the same time', async () => {
    const clock = createManualClock(0);
    const fired: string[] = [];
    clock.after(10, () => {
      fired.push('one');
      other.cancel();
    });
    const other = clock.after(10, () => fired.push('two'));
    await clock.advance(10);
    other.cancel();
    expect([fired, clock.pending]).toEqual([['one'], 0]);
  });

  test('fires timers that are set by others within the same advance, including promises between them', async () => {
    const clock = createManualClock(0);
    const woke: number[] = [];
    const sleeper = (async () => {
      for (let turn = 0; turn < 3; turn += 1) {
        await delay(clock, 10);
        await Promise.resolve();
        woke.push(clock.now());
      }
    })();
    await clock.advance(25);
    expect(woke).toEqual([10, 20]);
    await clock.advance(5);
    await sleeper;
    expect(woke).toEqual([10, 20, 30]);
  });

  test('settles once work in later turns is done, even if it does not use the clock', async () => {
    const clock = createManualClock(0);
    let turns = 0;
    const work = async (): Promise<void> => {
      for (; turns < 20; turns += 1) await nextTurn();
    };
    void work();
    await clock.settle();
    expect(turns).toBe(20);
  });

  test('advances one at a time', async () => {
    const clock = createManualClock(0);
    const fired: number[] = [];
    for (const ms of [10, 20]) clock.after(ms, () => fired.push(clock.now()));
    await Promise.all([clock.advance(10), clock.advance(10)]);
    expect([fired, clock.now()]).toEqual([[10, 20], 20]);
  });

  test('fails an advance in which a timer throws, and no later one', async () => {
    const clock = createManualClock(0);
    clock.after(1, () => {
      throw new Error('broken');
    });
    await expect(clock.advance(5)).rejects.toThrow('broken');
    await clock.advance(5);
    expect(clock.now()).toBe(6);
  });

  test.each([-1, Number.NaN, Infinity])('does not advance by %s', (ms) => {
    expect(() => createManualClock().advance(ms)).toThrow(RangeError);
  });

  test('settles chains of promises', async () => {
    const clock = createManualClock();
    let turns = 0;
    void (async () => {
      for (; turns < 1000; turns += 1) await Promise.resolve();
    })();
    await clock.settle();
    expect(turns).toBe(1000);
  });
});

describe('the work that a manual clock waits for', () => {
  const turns = async (count: number, each: () => void): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      each();
    }
  };

  test('includes the loading of code, and what needed it', async () => {
    const clock = createManualClock(0);
    const seen: number[] = [];
    clock.after(10, () => void loading(turns(50, () => undefined)).then(() => seen.push(clock.now())));
    await clock.advance(60_000);
    expect(seen).toEqual([10]);
  });

  test('includes work of many turns that uses the clock', async () => {
    const clock = createManualClock(0);
    const times = new Set<number>();
    clock.after(10, () => void turns(50, () => times.add(clock.now())));
    clock.after(20, () => undefined);
    await clock.advance(60_000);
    expect([...times]).toEqual([10]);
  });

  test('ends although something uses the clock all the time', async () => {
    const clock = createManualClock(0);
    let stopped = false;
    const busy = (): void => {
      clock.now();
      if (!stopped) setImmediate(busy);
    };
    busy();
    await clock.settle();
    stopped = true;
  });
});

describe('seeded entropy', () => {
  test('repeats for a seed, and differs between seeds', () => {
    const draw = (seed: number | string): unknown[] => {
      const entropy = seededEntropy(seed);
      return [entropy.uuid(), entropy.uuid(), [...entropy.bytes(8)]];
    };
    expect(draw(1)).toEqual(draw(1));
    expect(draw('1')).toEqual(draw(1));
    const firsts = new Set(Array.from({ length: 200 }, (_, seed) => String(draw(seed)[0])));
    expect(firsts.size).toBe(200);
  });

  test('returns unique version 4 uuids, and bytes of every value', () => {
    const entropy = seededEntropy('many');
    const uuids = Array.from({ length: 2000 }, () => entropy.uuid());
    for (const uuid of uuids)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(uuids).size).toBe(2000);
    expect(new Set(entropy.bytes(5000)).size).toBe(256);
    expect(entropy.bytes(0)).toHaveLength(0);
  });
});
