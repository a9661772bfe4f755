import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import { UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { applyMergePatch, createMergePatch, MAX_PATCH_DEPTH } from '../../../src/machinery/patch/index.js';
import { mergePatchSteps } from '../../../src/machinery/patch/merge-patch.js';
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

describe('a large merge patch', () => {
  /** Runs the steps of a patch that pause wherever they may. */
  function pausing(document: JsonValue, patch: JsonValue): { readonly result: JsonValue; readonly pauses: number } {
    const steps = mergePatchSteps({ ...UNBOUNDED_WORK, spend: () => true }, deepFreeze(document), deepFreeze(patch));
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses += 1;
    return { result: step.value, pauses };
  }

  test('has the result of a small one', () => {
    const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<JsonValue>;
    const wide = fc.uniqueArray(fc.nat(300), { maxLength: 100 }).map((keys) => ({
      wide: Object.fromEntries(keys.map((key) => [`k${key}`, key % 7 === 0 ? null : { key }])) as JsonObject,
    }));
    fc.assert(
      fc.property(fc.oneof(json, wide), fc.oneof(fc.dictionary(fc.string(), json), wide), (document, patch) => {
        const { result } = pausing(document, patch as JsonObject);
        expect(JSON.stringify(result)).toBe(JSON.stringify(apply(document, patch as JsonObject)));
      }),
      { numRuns: 500 },
    );
  });

  test('pauses while the object is copied, while its depth is checked, and between the changes', () => {
    const members = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`k${index}`, index]));
    expect(pausing({ spec: members }, { spec: { k0: 1 } }).pauses).toBeGreaterThan(3_000);
    expect(pausing({}, { spec: members }).pauses).toBeGreaterThan(6_000);
    expect(pausing({}, { spec: Object.values(members) }).pauses).toBeGreaterThan(3_000);
  });

  test('is refused when it is nested too deeply', () => {
    let deep: JsonValue = 1;
    for (let depth = 0; depth <= MAX_PATCH_DEPTH; depth += 1) deep = depth % 2 === 0 ? { a: deep } : [deep];
    expectFailure(() => pausing({}, { a: deep }), 400, /max depth/);
  });
});
