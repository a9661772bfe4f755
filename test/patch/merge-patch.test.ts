import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/meta/json.js';
import { applyMergePatch, createMergePatch, MAX_PATCH_DEPTH } from '../../src/patch/index.js';
import { deepFreeze, expectFailure } from './tools.js';

const apply = (document: JsonValue, patch: JsonValue): JsonValue =>
  applyMergePatch(deepFreeze(document), deepFreeze(patch));

describe('RFC 7386', () => {
  test.each<readonly [document: JsonValue, patch: JsonValue, result: JsonValue]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [
      {
        title: 'Goodbye!',
        author: { givenName: 'John', familyName: 'Doe' },
        tags: ['example', 'sample'],
        content: 'This will be unchanged',
      },
      { title: 'Hello!', phoneNumber: '+01-123-456-7890', author: { familyName: null }, tags: ['example'] },
      {
        title: 'Hello!',
        author: { givenName: 'John' },
        tags: ['example'],
        content: 'This will be unchanged',
        phoneNumber: '+01-123-456-7890',
      },
    ],
    // Not in the appendix.
    [{ a: 'text' }, { a: { b: { c: null, d: 1 } } }, { a: { b: { d: 1 } } }],
    [{ a: [1] }, { a: [null, { b: null }] }, { a: [null, { b: null }] }],
    [{ a: { b: 1 } }, { a: {} }, { a: { b: 1 } }],
    [{ a: 1 }, { b: null }, { a: 1 }],
    ['text', {}, {}],
  ])('%j with %j is %j', (document, patch, result) => {
    expect(apply(document, patch)).toEqual(result);
  });

  test('keys keep their order', () => {
    expect(JSON.stringify(apply({ a: 1, b: { x: 1, y: 2 }, c: 3 }, { d: 4, b: { x: 5, z: 6 } }))).toBe(
      '{"a":1,"b":{"x":5,"y":2,"z":6},"c":3,"d":4}',
    );
  });

  test.each<readonly [JsonValue, string]>([
    [[{ a: 1 }], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['text', 'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}'],
    [null, 'Invalid JSON Patch'],
  ])('%j is no merge patch', (patch, detail) => {
    expectFailure(() => apply({}, patch), 400, detail);
  });

  test('unchanged parts are shared', () => {
    const document = deepFreeze({ a: { b: 1, c: { d: 1 } }, e: { f: 1 } });
    const result = applyMergePatch(document, { a: { b: 2 } }) as typeof document;
    expect(result.e).toBe(document.e);
    expect(result.a.c).toBe(document.a.c);
  });
});

describe('attacks', () => {
  test('names that every object inherits are ordinary keys', () => {
    expect(
      apply(
        { constructor: 'a', hasOwnProperty: 'b', kept: 1 },
        { prototype: 'c', constructor: null, hasOwnProperty: null, toString: { valueOf: null, toJSON: 1 } },
      ),
    ).toEqual({ kept: 1, prototype: 'c', toString: { toJSON: 1 } });
  });

  test('prototypes cannot be reached', () => {
    const patch = JSON.parse(
      '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, "a": {"__proto__": null}}',
    ) as JsonObject;
    const result = apply({ a: { b: 1 } }, patch) as object;
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(JSON.parse(JSON.stringify(result))).toEqual(
      JSON.parse('{"a": {"b": 1}, "__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'),
    );
    expect('polluted' in {}).toBe(false);
    expect('polluted' in result).toBe(false);
  });

  test('deep nesting', () => {
    const nested = (depth: number): JsonObject =>
      JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth)) as JsonObject;
    expect(applyMergePatch({}, nested(MAX_PATCH_DEPTH))).toEqual(nested(MAX_PATCH_DEPTH));
    expectFailure(() => applyMergePatch({}, nested(MAX_PATCH_DEPTH + 1)), 400, 'exceeded max depth');
    expectFailure(() => createMergePatch({}, nested(MAX_PATCH_DEPTH + 1)), 400, 'exceeded max depth');
  });
});

describe('createMergePatch', () => {
  test.each<readonly [from: JsonObject, to: JsonObject, patch: JsonObject]>([
    [{ a: 1 }, { a: 1 }, {}],
    [{ a: 1, b: { c: 1, d: 2 } }, { b: { c: 1, d: 3 } }, { a: null, b: { d: 3 } }],
    [{ a: [1, 2] }, { a: [1] }, { a: [1] }],
    [{ a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    [
      { constructor: 'a' },
      { constructor: 'b', prototype: { hasOwnProperty: 1 } },
      { constructor: 'b', prototype: { hasOwnProperty: 1 } },
    ],
  ])('of %j and %j is %j', (from, to, patch) => {
    expect(createMergePatch(deepFreeze(from), deepFreeze(to))).toEqual(patch);
  });

  /** Values without nulls, which a merge patch cannot set. */
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.boolean(),
      fc.integer(),
      fc.string(),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor', '.a', ''), tie('value')),
    ),
  }));
  const object = fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'd', 'hasOwnProperty'),
    value,
  ) as fc.Arbitrary<JsonObject>;

  test('applied to the one value, it gives the other', () => {
    fc.assert(
      fc.property(object, object, (from, to) => {
        expect(
          applyMergePatch(
            deepFreeze(from) as JsonValue,
            deepFreeze(createMergePatch(from, deepFreeze(to))) as JsonValue,
          ),
        ).toEqual(to);
      }),
      { numRuns: 500 },
    );
  });
});
