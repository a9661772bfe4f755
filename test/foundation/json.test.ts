import { describe, expect, test } from 'vitest';
import { equalJson, type JsonValue } from '../../src/foundation/json/json.js';

const parsed = (text: string): JsonValue => JSON.parse(text) as JsonValue;

/** Pairs of values, and whether they are equal. */
const pairs: readonly (readonly [JsonValue, JsonValue, boolean])[] = [
  [{ a: 1, b: '2' }, { b: '2', a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1, b: undefined }, { a: 1, c: 2 }, false],
  [{ a: undefined }, { a: null }, false],
  [{ a: null }, {}, false],
  [{ a: null }, { a: {} }, false],
  [{ a: {} }, { a: [] }, false],
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true],
  [{ a: [1, { b: 2 }] }, { a: [{ b: 2 }, 1] }, false],
  [{ a: 1 }, { a: '1' }, false],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: 1, b: 2 }, { a: 1 }, false],
  [{ constructor: {} }, {}, false],
  [parsed('{"__proto__":{}}'), {}, false],
  [parsed('{"__proto__":{}}'), parsed('{"__proto__":{}}'), true],
  [parsed('{"__proto__":{"a":1}}'), parsed('{"__proto__":{"a":2}}'), false],
];

describe('equality of JSON values', () => {
  test.each(pairs)('%j and %j: %j', (a, b, isEqual) => {
    expect(equalJson(a, b)).toBe(isEqual);
    expect(equalJson(b, a)).toBe(isEqual);
  });
});
