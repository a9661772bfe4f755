/** A long text that the server has written is parsed in pieces. The value is that of the whole text. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonText, jsonValue } from '../../src/foundation/json/json-text.js';
import { jsonValueSteps } from '../../src/foundation/json/json-value-steps.js';
import type { JsonValue } from '../../src/foundation/json/json.js';
import { UNBOUNDED_WORK, type Steps, type Work } from '../../src/foundation/work/work.js';

/** Work that pauses whenever it may. */
const pausing: Work = { ...UNBOUNDED_WORK, spend: () => true };

/** Takes steps to their end. @returns the value, and the number of pauses */
function taken(steps: Steps<JsonValue>): { value: JsonValue; pauses: number } {
  for (let pauses = 0; ; pauses += 1) {
    const step = steps.next();
    if (step.done === true) return { value: step.value, pauses };
  }
}

const PADDING = 'x'.repeat(70_000);

const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
const members = fc.dictionary(fc.constantFrom('a', '2', '__proto__', 'q"\\', '{[,'), value, { maxKeys: 5 });

describe('a long text', () => {
  test('has the value of the text as a whole', () => {
    fc.assert(
      fc.property(fc.array(members, { maxLength: 4 }), members, (list, object) => {
        const text = jsonText({ before: object, padding: PADDING, list, wide: { object, padding: PADDING, list } });
        expect(jsonText(taken(jsonValueSteps(pausing, text)).value)).toBe(jsonText(jsonValue(text)));
      }),
      { numRuns: 100 },
    );
  });

  test('keeps 64-bit integers, and halves of surrogate pairs', () => {
    const text = `{"a":9223372036854775807,"b":["\\ud800",-9007199254740993,"9007199254740993"],"c":"${PADDING}","d":1}`;
    const { value: parsed } = taken(jsonValueSteps(pausing, text));
    expect(parsed).toEqual({
      a: 2n ** 63n - 1n,
      b: ['\ud800', -9007199254740993n, '9007199254740993'],
      c: PADDING,
      d: 1,
    });
  });

  test.each(['', '}}', ',', '"'])('fails as the text as a whole does when it is damaged by %j', (damage) => {
    const text = `{"a":{"b":"${PADDING}"}${damage}`;
    const failure = (parse: () => unknown): unknown => {
      try {
        return parse();
      } catch (error) {
        return String(error);
      }
    };
    expect(failure(() => taken(jsonValueSteps(pausing, text)))).toBe(failure(() => jsonValue(text)));
  });

  test('pauses in proportion to its length, and a short one never', () => {
    const wide = (count: number): string =>
      jsonText({ data: Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, [index]])) });
    const pauses = (count: number): number => taken(jsonValueSteps(pausing, wide(count))).pauses;
    expect(pauses(100)).toBe(0);
    const [once, twice] = [pauses(50_000), pauses(100_000)];
    expect(once).toBeGreaterThan(50_000);
    expect(twice / once).toBeLessThan(2.2);
  });
});
