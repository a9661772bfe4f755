import { describe, expect, test } from 'vitest';
import { atOnce, inSlices, UNBOUNDED_WORK, type Steps, type Work } from '../../src/foundation/work/work.js';

/** Work whose slices have a number of units. */
function countedWork(unitsInSlice: number, slices = Infinity): Work & { taken: number } {
  let left = unitsInSlice;
  return {
    ...UNBOUNDED_WORK,
    taken: 0,
    spend(units) {
      left -= units;
      return left <= 0;
    },
    async next() {
      this.taken += 1;
      if (this.taken > slices) throw new Error('over');
      left = unitsInSlice;
    },
  };
}

function* sumTo(work: Work, count: number, released?: () => void): Steps<number> {
  let sum = 0;
  try {
    for (let value = 1; value <= count; value += 1) {
      sum += value;
      if (work.spend(1)) yield;
    }
    return sum;
  } finally {
    released?.();
  }
}

describe('work in slices', () => {
  test('that fits into one slice ends at once', () => {
    const work = countedWork(100);
    expect(inSlices(work, sumTo(work, 10))).toBe(55);
    expect(work.taken).toBe(0);
  });

  test('takes as many slices as it needs, with the same result', async () => {
    const work = countedWork(10);
    const result = inSlices(work, sumTo(work, 95));
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toBe(atOnce(sumTo(work, 95)));
    expect(work.taken).toBe(9);
  });

  test('gets no slice after its end, and releases what it holds', async () => {
    const work = countedWork(10, 2);
    let released = false;
    await expect(
      inSlices(
        work,
        sumTo(work, 95, () => (released = true)),
      ),
    ).rejects.toThrow('over');
    expect(work.taken).toBe(3);
    expect(released).toBe(true);
  });

  test('throws at once what its first slice throws', () => {
    const failing = function* (): Steps<never> {
      throw new TypeError('wrong');
    };
    expect(() => inSlices(UNBOUNDED_WORK, failing())).toThrow(TypeError);
  });
});
