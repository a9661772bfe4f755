import fc from 'fast-check';
import { expect, test } from 'vitest';
import { equalSteps } from '../../src/foundation/collections/equal-steps.js';
import { equalJson, type JsonValue } from '../../src/foundation/json/json.js';
import { inSlices, UNBOUNDED_WORK, type Work } from '../../src/foundation/work/work.js';

/** Work that counts its units, and pauses at each of them. */
function pausingWork(): Work & { units: number; pauses: number } {
  return {
    ...UNBOUNDED_WORK,
    units: 0,
    pauses: 0,
    spend(units) {
      this.units += units;
      return true;
    },
    async next() {
      this.pauses += 1;
    },
  };
}

const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;

test('compares as equalJson does, whatever the pauses', async () => {
  await fc.assert(
    fc.asyncProperty(json, json, async (a, b) => {
      const copy = JSON.parse(JSON.stringify(a)) as JsonValue;
      for (const other of [copy, b, [a], { a }]) {
        const work = pausingWork();
        expect(await inSlices(work, equalSteps(work, a, other))).toBe(equalJson(a, other));
      }
    }),
    { numRuns: 300 },
  );
});

test('undefined members are absent, and inherited ones do not count', async () => {
  for (const [a, b, equal] of [
    [{ a: undefined }, {}, true],
    [{ a: 1 }, { a: 1, b: undefined }, true],
    [{ constructor: { a: 1 } }, {}, false],
  ] as const) {
    const work = pausingWork();
    expect(await inSlices(work, equalSteps(work, a, b))).toBe(equal);
  }
});

test('counts each value once', async () => {
  const list = (count: number): JsonValue => Array.from({ length: count }, (_, index) => ({ index, deep: [index] }));
  const unitsOf = async (count: number): Promise<number> => {
    const work = pausingWork();
    await inSlices(work, equalSteps(work, list(count), list(count)));
    expect(work.pauses).toBeGreaterThan(count);
    return work.units;
  };
  expect((await unitsOf(2_000)) / (await unitsOf(1_000))).toBeLessThan(2.01);
});
