/** Memory that a server has released goes back to the system once nobody uses the server. */
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { describe, expect, it, vi } from 'vitest';
import { MemoryBudget } from '../../src/entries/storage.js';
import { FreedHeap } from '../../src/storage/freed-heap.js';
import { askForCollection } from '../../src/storage/host-heap.js';
import { ManualClock } from './manual-clock.js';

const MIB = 1024 * 1024;
/** Time between two looks at whether something was released. */
const LOOK = 30_000;

function made(usedBytes = 0) {
  const clock = new ManualClock();
  const collect = vi.fn();
  return { clock, collect, freed: new FreedHeap(clock, () => usedBytes, collect) };
}

describe('released memory', () => {
  it('is collected when nothing was released for half a minute, and once more', () => {
    const { clock, collect, freed } = made();
    freed.released(32 * MIB);
    clock.advance(LOOK - 1);
    expect(collect).not.toHaveBeenCalled();
    clock.advance(1);
    expect(collect).toHaveBeenCalledTimes(1);
    expect(clock.pending).toBe(1);
    clock.advance(10 * LOOK);
    expect([collect.mock.calls.length, clock.pending]).toEqual([2, 0]);
  });

  it('is left alone while it is little', () => {
    const { clock, freed } = made();
    freed.released(32 * MIB - 1);
    expect(clock.pending).toBe(0);
    freed.released(1);
    expect(clock.pending).toBe(1);
  });

  it('is left alone while it is little of what is in use', () => {
    const { clock, freed } = made(400 * MIB);
    freed.released(100 * MIB - 1);
    expect(clock.pending).toBe(0);
    freed.released(1);
    expect(clock.pending).toBe(1);
  });

  it('waits while the server is used', () => {
    const { clock, collect, freed } = made();
    freed.released(32 * MIB);
    for (let count = 0; count < 2_000; count += 1) freed.released(1);
    clock.advance(LOOK);
    expect(collect).not.toHaveBeenCalled();
    // A few releases are those of the server itself.
    for (let count = 0; count < 100; count += 1) freed.released(1);
    clock.advance(LOOK);
    expect(collect).toHaveBeenCalledTimes(1);
  });

  it('is collected twice again when as much was released between two collections', () => {
    const { clock, collect, freed } = made();
    freed.released(32 * MIB);
    clock.advance(LOOK);
    freed.released(32 * MIB);
    clock.advance(10 * LOOK);
    expect([collect.mock.calls.length, clock.pending]).toEqual([3, 0]);
  });

  it('is collected again when as much was released again', () => {
    const { clock, collect, freed } = made();
    for (let round = 1; round <= 2; round += 1) {
      freed.released(32 * MIB);
      clock.advance(2 * LOOK);
      expect([collect.mock.calls.length, clock.pending]).toEqual([2 * round, 0]);
    }
  });
});

describe('a memory budget with a clock', () => {
  it.each<[string, (budget: MemoryBudget) => void]>([
    [
      'history',
      (budget) => {
        budget.holdBytes(32 * MIB);
        budget.holdBytes(-32 * MIB);
      },
    ],
    [
      'a cache',
      (budget) => {
        const cache = budget.openCache('compiled', () => undefined);
        cache.hold(32 * MIB);
        cache.close();
      },
    ],
    [
      'current objects',
      (budget) => {
        const objects = budget.open('objects');
        objects.hold(32 * MIB);
        objects.hold(-32 * MIB);
      },
    ],
  ])('looks after the memory of %s once it is released', (_, use) => {
    const clock = new ManualClock();
    const budget = new MemoryBudget({}, clock);
    use(budget);
    expect(clock.pending).toBe(1);
    budget.close();
    expect(clock.pending).toBe(0);
    use(budget);
    expect(clock.pending).toBe(0);
  });
});

it('the host collects its whole heap when it is asked', async () => {
  const observer = new PerformanceObserver(() => undefined);
  const collected = new Promise<void>((resolve) => {
    const look = (): void => {
      const isMajor = observer.takeRecords().some((entry) => kindOf(entry) === constants.NODE_PERFORMANCE_GC_MAJOR);
      if (isMajor) resolve();
      else setImmediate(look);
    };
    observer.observe({ entryTypes: ['gc'] });
    expect(askForCollection()).toBe(true);
    look();
  });
  await collected;
  observer.disconnect();
});

/** Returns the kind of a garbage collection. */
function kindOf(entry: object): unknown {
  const detail: unknown = Reflect.get(entry, 'detail');
  return typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined;
}
