/** The text of a large value is made in pieces. It is that of the value as a whole. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asciiJson } from '../../src/foundation/json/ascii-json.js';
import { JsonTextSteps } from '../../src/foundation/json/json-text-steps.js';
import { hasBigIntegers, holdAsWritten, holdAsWrittenSteps } from '../../src/foundation/json/json-text.js';
import type { JsonValue } from '../../src/foundation/json/json.js';
import { UNBOUNDED_WORK, type Steps, type Work } from '../../src/foundation/work/work.js';

/** Work that pauses whenever it may, and counts what is reserved. */
function pausingWork(): Work & { reserved: number } {
  return {
    ...UNBOUNDED_WORK,
    reserved: 0,
    spend: () => true,
    reserve(bytes) {
      this.reserved += bytes;
    },
  };
}

/** Takes steps to their end. Returns the number of pauses. */
function pausesOf(steps: Steps<void>): number {
  for (let pauses = 0; ; pauses += 1) if (steps.next().done === true) return pauses;
}

function made(value: JsonValue): { text: string; pauses: number; hasBigIntegers: boolean; reserved: number } {
  const work = pausingWork();
  const text = new JsonTextSteps(work);
  const pauses = pausesOf(text.value(value));
  return { text: text.take(), pauses, hasBigIntegers: text.hasBigIntegers, reserved: work.reserved };
}

const many = (item: (index: number) => JsonValue, count = 2_000): JsonValue[] =>
  Array.from({ length: count }, (_, index) => item(index));
const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
const unit = fc.constantFrom('a', '"', '\\', '\n', 'é', '世', '\ud83d\ude42', '\ud800', '\udc00', '\u0000');
const long = fc.array(unit, { minLength: 30, maxLength: 60 }).map((parts) => parts.join('').repeat(700));
const scalar = fc.constantFrom<JsonValue>(
  1e18,
  2n ** 63n - 1n,
  -(2n ** 60n),
  1e21,
  1.5,
  null,
  true,
  '9007199254740993',
);
const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', '2', '1', 'q"\\', 'é'), fc.string());

describe('the text of a large value', () => {
  test('is that of the value as a whole', () => {
    const members = fc.dictionary(key, fc.oneof(json, long, scalar), { maxKeys: 6 });
    fc.assert(
      fc.property(members, fc.oneof(json, scalar), (object, item) => {
        const value = { ...object, list: many((index) => (index % 900 === 5 ? many(() => item, 600) : item)), object };
        const { text, hasBigIntegers: has, reserved } = made(value);
        expect(text).toBe(asciiJson(value));
        expect(has).toBe(hasBigIntegers(text));
        expect(reserved).toBe(text.length);
      }),
      { numRuns: 60 },
    );
  });

  test.each<[string, JsonValue]>([
    ['an empty object among members', { a: {}, b: [], list: many(() => ({})) }],
    [
      'undefined members and items',
      { list: many((index) => (index % 2 === 0 ? (undefined as never) : index)), a: undefined },
    ],
    ['values that determine their JSON', { list: many((index) => index), at: new Date(0) as never }],
    [
      'an object of undefined members',
      { a: Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, undefined])) },
    ],
  ])('is that of the value as a whole: %s', (_, value) => {
    expect(made(value).text).toBe(JSON.stringify(value));
  });

  test.each<[string, (count: number) => JsonValue]>([
    ['small items', (count) => many(() => ({}), count)],
    ['numbers', (count) => many((index) => index, count)],
    ['members', (count) => Object.fromEntries(many((index) => [`k${index}`, index], count) as [string, number][])],
    ['characters', (count) => 'x'.repeat(count * 16)],
  ])('pauses in proportion to its %s', (_, value) => {
    const [once, twice] = [made(value(50_000)).pauses, made(value(100_000)).pauses];
    expect(once).toBeGreaterThan(40);
    expect(twice / once).toBeGreaterThan(1.9);
    expect(twice / once).toBeLessThan(2.1);
  });

  test('is made in one piece when it is small', () => {
    expect(made({ a: [1, { b: 'c' }] }).pauses).toBe(1);
  });
});

test('holds integers as their text has them, as for a small value', () => {
  fc.assert(
    fc.property(fc.dictionary(key, fc.oneof(json, scalar)), (object) => {
      const [small, large] = [structuredClone(object), structuredClone(object)];
      holdAsWritten(small);
      pausesOf(holdAsWrittenSteps(large, pausingWork()));
      expect(large).toEqual(small);
    }),
  );
});
