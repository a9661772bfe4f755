import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../../src/foundation/json/json.js';
import { applyJsonPatch, createJsonPatch, MAX_PATCH_DEPTH, PatchError } from '../../../src/machinery/patch/index.js';
import { jsonDiff } from '../../../src/machinery/patch/json-diff.js';
import { deepFreeze } from './tools.js';

const parsed = (text: string): JsonObject => JSON.parse(text) as JsonObject;

describe('createJsonPatch', () => {
  test.each<readonly [from: JsonObject, to: JsonObject, patch: JsonValue]>([
    [{ a: 1 }, { a: 1 }, []],
    [
      { a: 1, b: { c: 1, d: 2 } },
      { b: { c: 1, d: 3 }, e: null },
      [
        { op: 'remove', path: '/a' },
        { op: 'replace', path: '/b/d', value: 3 },
        { op: 'add', path: '/e', value: null },
      ],
    ],
    // Each removal leaves the places of those after it as they are.
    [
      { a: [1, 2, 3, 4] },
      { a: [5, 2] },
      [
        { op: 'replace', path: '/a/0', value: 5 },
        { op: 'remove', path: '/a/3' },
        { op: 'remove', path: '/a/2' },
      ],
    ],
    [
      { a: [1] },
      { a: [1, 2, 3] },
      [
        { op: 'add', path: '/a/1', value: 2 },
        { op: 'add', path: '/a/2', value: 3 },
      ],
    ],
    [{}, { 'a/b~c': 1 }, [{ op: 'add', path: '/a~1b~0c', value: 1 }]],
    [{ a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
  ])('of %j and %j is %j', (from, to, patch) => {
    expect(createJsonPatch(deepFreeze(from), deepFreeze(to))).toEqual(patch);
  });

  test('is exact for integers beyond 2^53, which a number cannot hold', () => {
    const [from, to] = [
      { a: 9007199254740993n, b: 1 },
      { a: 9007199254740995n, b: { c: [9007199254740997n] } },
    ];
    expect(createJsonPatch(from, to)).toEqual([
      { op: 'replace', path: '/a', value: 9007199254740995n },
      { op: 'replace', path: '/b', value: { c: [9007199254740997n] } },
    ]);
    expect(createJsonPatch(from, { ...from })).toEqual([]);
  });

  test('takes every key as a key', () => {
    expect(createJsonPatch({}, parsed('{"__proto__":{"a":1}}'))).toEqual([
      { op: 'add', path: '/__proto__', value: { a: 1 } },
    ]);
    expect(createJsonPatch({ a: {} }, parsed('{"a":{"constructor":1,"toString":2}}'))).toEqual([
      { op: 'add', path: '/a/constructor', value: 1 },
      { op: 'add', path: '/a/toString', value: 2 },
    ]);
  });

  test('is refused for objects that no patch may have', () => {
    const deep = parsed('{"a":'.repeat(MAX_PATCH_DEPTH + 1) + '1' + '}'.repeat(MAX_PATCH_DEPTH + 1));
    expect(() => createJsonPatch({}, deep)).toThrow(PatchError);
    expect(() => createJsonPatch(deep, {})).toThrow(PatchError);
  });

  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
      fc.string(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'constructor', '__proto__', 'a/b', '~', '0', ''), tie('value')),
    ),
  }));
  const object = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), value) as fc.Arbitrary<JsonObject>;

  test('applied to the one value, it gives the other', () => {
    fc.assert(
      fc.property(object, object, (from, to) => {
        const patch = createJsonPatch(deepFreeze(from), deepFreeze(to));
        expect(applyJsonPatch(from, patch)).toEqual(to);
      }),
      { numRuns: 1000 },
    );
  });
});

test('places can be left out of a comparison', () => {
  const [from, to] = [
    { metadata: { resourceVersion: '1', name: 'a' } },
    { metadata: { resourceVersion: '2', name: 'b' } },
  ];
  expect(jsonDiff(from, to, new Set(['/metadata/resourceVersion']))).toEqual([
    { path: '/metadata/name', op: 'replace', from: 'a', to: 'b' },
  ]);
});
