import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../src/foundation/json/json.js';
import {
  applyJsonPatch,
  decodeJsonPatch,
  decodeJsonPatchSteps,
  MAX_PATCH_DEPTH,
  type JsonPatchOperation,
} from '../../../src/machinery/patch/index.js';
import { UNBOUNDED_WORK } from '../../../src/foundation/work/work.js';
import { jsonPatchSteps } from '../../../src/machinery/patch/json-patch.js';
import { deepFreeze, expectFailure, failureOf } from './tools.js';

type Case = readonly [name: string, document: JsonValue, operations: readonly JsonPatchOperation[], result: JsonValue];
type BadCase = readonly [name: string, document: JsonValue, operations: readonly JsonPatchOperation[], detail: string];

const apply = (document: JsonValue, operations: readonly JsonPatchOperation[]): JsonValue =>
  applyJsonPatch(deepFreeze(document), deepFreeze(operations));
/** The number 4, written as `4.0`. */
const WRITTEN = '\ud8004.0';
const parse = (text: string): JsonValue => JSON.parse(text) as JsonValue;

describe('RFC 6902, appendix A', () => {
  test.each<Case>([
    [
      'A.1 adding an object member',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz', value: 'qux' }],
      { baz: 'qux', foo: 'bar' },
    ],
    [
      'A.2 adding an array element',
      { foo: ['bar', 'baz'] },
      [{ op: 'add', path: '/foo/1', value: 'qux' }],
      { foo: ['bar', 'qux', 'baz'] },
    ],
    ['A.3 removing an object member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [
      'A.4 removing an array element',
      { foo: ['bar', 'qux', 'baz'] },
      [{ op: 'remove', path: '/foo/1' }],
      { foo: ['bar', 'baz'] },
    ],
    [
      'A.5 replacing a value',
      { baz: 'qux', foo: 'bar' },
      [{ op: 'replace', path: '/baz', value: 'boo' }],
      { baz: 'boo', foo: 'bar' },
    ],
    [
      'A.6 moving a value',
      { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
      [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
      { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
    ],
    [
      'A.7 moving an array element',
      { foo: ['all', 'grass', 'cows', 'eat'] },
      [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
      { foo: ['all', 'cows', 'eat', 'grass'] },
    ],
    [
      'A.8 testing a value: success',
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      'A.10 adding a nested member object',
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { foo: 'bar', child: { grandchild: {} } },
    ],
    ['A.14 escape ordering', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    [
      'A.16 adding an array value',
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
  ])('%s', (_name, document, operations, result) => {
    expect(apply(document, operations)).toEqual(result);
  });

  test.each<BadCase>([
    [
      'A.9 testing a value: error',
      { baz: 'qux' },
      [{ op: 'test', path: '/baz', value: 'bar' }],
      'testing value /baz failed: test failed',
    ],
    [
      'A.12 adding to a nonexistent target',
      { foo: 'bar' },
      [{ op: 'add', path: '/baz/bat', value: 'qux' }],
      'add operation does not apply: doc is missing path: "/baz/bat": missing value',
    ],
    [
      'A.15 comparing strings and numbers',
      { '/': 9, '~1': 10 },
      [{ op: 'test', path: '/~01', value: '10' }],
      'testing value /~01 failed: test failed',
    ],
  ])('%s', (_name, document, operations, detail) => {
    expectFailure(() => apply(document, operations), 422, detail);
  });

  test('A.11 unrecognized members are ignored, and reported', () => {
    const { operations, unknownFields } = decodeJsonPatch([{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }]);
    expect(apply({ foo: 'bar' }, operations)).toEqual({ foo: 'bar', baz: 'qux' });
    expect(unknownFields).toEqual(['[0].xyz']);
  });
});

describe('deviations of release 1.31 from the RFC', () => {
  test.each<Case>([
    [
      'test of a missing member against null',
      { metadata: {} },
      [
        { op: 'test', path: '/metadata/finalizers', value: null },
        { op: 'add', path: '/metadata/finalizers', value: ['a/b'] },
      ],
      { metadata: { finalizers: ['a/b'] } },
    ],
    ['test of a missing member of the whole document against null', {}, [{ op: 'test', path: '/a', value: null }], {}],
    ['replace of a missing member', { a: {} }, [{ op: 'replace', path: '/a/b', value: 1 }], { a: { b: 1 } }],
    [
      'replace of a missing member by null',
      { a: {} },
      [
        { op: 'replace', path: '/a/b', value: null },
        { op: 'test', path: '/a/b', value: null },
      ],
      { a: { b: null } },
    ],
    ['replace of the last item', { a: [1, 2] }, [{ op: 'replace', path: '/a/-1', value: 0 }], { a: [1, 0] }],
    ['test of the last item', { a: [1, 2] }, [{ op: 'test', path: '/a/-1', value: 2 }], { a: [1, 2] }],
    ['remove of the first of two items, from the end', { a: [1, 2] }, [{ op: 'remove', path: '/a/-2' }], { a: [2] }],
    ['add after the last item', { a: [1, 2] }, [{ op: 'add', path: '/a/-1', value: 3 }], { a: [1, 2, 3] }],
    ['add before the last item', { a: [1, 2] }, [{ op: 'add', path: '/a/-2', value: 3 }], { a: [1, 3, 2] }],
    ['add before the first item, from the end', { a: [1] }, [{ op: 'add', path: '/a/-2', value: 0 }], { a: [0, 1] }],
    ['add to an empty list at -1', { a: [] }, [{ op: 'add', path: '/a/-1', value: 1 }], { a: [1] }],
    ['a member of the last item', { a: [{}, {}] }, [{ op: 'add', path: '/a/-1/b', value: 1 }], { a: [{}, { b: 1 }] }],
    ['move of the last item', { a: [1, 2, 3] }, [{ op: 'move', from: '/a/-1', path: '/a/0' }], { a: [3, 1, 2] }],
    ['copy of the last item', { a: [1, 2] }, [{ op: 'copy', from: '/a/-1', path: '/b' }], { a: [1, 2], b: 2 }],
    ['leading zeros', { a: [1, 2] }, [{ op: 'replace', path: '/a/01', value: 0 }], { a: [1, 0] }],
    ['a plus sign', { a: [1, 2] }, [{ op: 'remove', path: '/a/+0' }], { a: [2] }],
    ['minus zero', { a: [1, 2] }, [{ op: 'test', path: '/a/-0', value: 1 }], { a: [1, 2] }],
    ['minus one as a key of an object', { a: {} }, [{ op: 'add', path: '/a/-1', value: 1 }], { a: { '-1': 1 } }],
    ['add without a value', { a: {}, b: [1] }, [{ op: 'add', path: '/a/b' }], { a: { b: null }, b: [1] }],
    ['add of an item without a value', { b: [1] }, [{ op: 'add', path: '/b/0' }], { b: [null, 1] }],
    ['replace without a value', { a: 1 }, [{ op: 'replace', path: '/a' }], { a: null }],
    ['test of an absent member without a value', {}, [{ op: 'test', path: '/a' }], {}],
  ])('%s', (_name, document, operations, result) => {
    expect(apply(document, operations)).toEqual(result);
  });

  test('negative indexes of long lists count from their current end', () => {
    const list = Array.from({ length: 5_000 }, (_, index) => index);
    const result = apply({ list }, [
      { op: 'remove', path: '/list/-1' },
      { op: 'add', path: '/list/-1', value: 'end' },
      { op: 'replace', path: '/list/-2', value: 'before' },
      { op: 'add', path: '/list/-5001', value: 'start' },
      { op: 'test', path: '/list/-5001', value: 'start' },
      { op: 'remove', path: '/list/-5000' },
    ]);
    expect(result).toEqual({ list: ['start', ...list.slice(1, 4_998), 'before', 'end'] });
  });

  test('test without a value fails for a value', () => {
    expectFailure(() => apply({ a: 1 }, [{ op: 'test', path: '/a' }]), 422, 'testing value /a failed: test failed');
  });

  test('test of a null item against null', () => {
    expect(apply({ a: [null] }, [{ op: 'test', path: '/a/0', value: null }])).toEqual({ a: [null] });
  });
});

describe('long arrays', () => {
  /** Applies operations as the RFC defines them, on plain arrays. */
  function model(list: JsonValue[], operations: readonly JsonPatchOperation[]): JsonValue[] {
    const items = [...list];
    for (const { op, path = '', value = null } of operations) {
      const key = path.slice('/list/'.length);
      const index = key === '-' ? items.length : Number(key);
      if (op === 'add') items.splice(index, 0, value);
      else if (op === 'remove') items.splice(index, 1);
      else items[index] = value;
    }
    return items;
  }

  test('insertions, removals and replacements give the same result as on short ones', () => {
    const list: JsonValue[] = Array.from({ length: 5_000 }, (_, index) => (index % 7 === 0 ? null : index));
    let length = list.length;
    let seed = 1;
    const random = (bound: number): number => (seed = (seed * 48_271) % 2_147_483_647) % bound;
    const operations = Array.from({ length: 3_000 }, (_, turn): JsonPatchOperation => {
      const op = (['add', 'remove', 'remove', 'replace', 'add'] as const)[random(5)] ?? 'add';
      if (op === 'remove') return { op, path: `/list/${random(length--)}` };
      if (op === 'replace') return { op, path: `/list/${random(length)}`, value: turn % 5 === 0 ? null : `r${turn}` };
      const path = random(9) === 0 ? '/list/-' : `/list/${random(length + 1)}`;
      length += 1;
      return { op, path, value: `n${turn}` };
    });
    const wanted = model(list, operations);
    expect(apply({ list }, operations)).toEqual({ list: wanted });
    // Read in between as a whole, and each copy changed separately.
    const both = apply({ list }, [
      ...operations,
      { op: 'test', path: '/list', value: wanted },
      { op: 'copy', from: '/list', path: '/copy' },
      { op: 'remove', path: '/list/0' },
      { op: 'add', path: '/copy/0', value: 'first' },
    ]);
    expect(both).toEqual({ list: wanted.slice(1), copy: ['first', ...wanted] });
  });

  test('changed lists may be moved, even into one another', () => {
    const list = (name: string): JsonValue[] => Array.from({ length: 3_000 }, (_, index) => `${name}${index}`);
    const result = apply({ a: list('a'), b: list('b') }, [
      { op: 'remove', path: '/a/1500' },
      { op: 'add', path: '/b/10', value: 'x' },
      { op: 'move', from: '/a', path: '/b/5' },
      { op: 'remove', path: '/b/5/0' },
      { op: 'move', from: '/b', path: '/c' },
    ]);
    const moved = list('a').filter((_, index) => index !== 1500 && index !== 0);
    const b = list('b');
    expect(result).toEqual({ c: [...b.slice(0, 5), moved, ...b.slice(5, 10), 'x', ...b.slice(10)] });
  });
});

describe('further rules of the RFC', () => {
  test.each<Case>([
    ['add replaces a member', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
    ['add at the end of an array', { a: [1] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2] }],
    ['add to the whole document', { a: 1 }, [{ op: 'add', path: '', value: [1] }], [1]],
    ['replace of the whole document', { a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
    [
      'test of the whole document',
      { a: [1, { b: null }] },
      [{ op: 'test', path: '', value: { a: [1, { b: null }] } }],
      { a: [1, { b: null }] },
    ],
    ['move to the whole document', { a: { b: 1 } }, [{ op: 'move', from: '/a', path: '' }], { b: 1 }],
    ['move onto itself', { a: 1 }, [{ op: 'move', from: '/a', path: '/a' }], { a: 1 }],
    ['move to a sibling with a longer name', { a: 1 }, [{ op: 'move', from: '/a', path: '/ab' }], { ab: 1 }],
    [
      'copy of the whole document into itself',
      { a: 1 },
      [
        { op: 'copy', from: '', path: '/b' },
        { op: 'replace', path: '/b/a', value: 2 },
      ],
      { a: 1, b: { a: 2 } },
    ],
    [
      'a copy and its source are independent',
      { a: { x: [] } },
      [
        { op: 'add', path: '/a/x/-', value: 0 },
        { op: 'copy', from: '/a', path: '/b' },
        { op: 'add', path: '/a/x/-', value: 1 },
        { op: 'add', path: '/b/x/-', value: 2 },
      ],
      { a: { x: [0, 1] }, b: { x: [0, 2] } },
    ],
    [
      'an array index in the middle of a path',
      { a: [{ b: 1 }] },
      [{ op: 'replace', path: '/a/0/b', value: 2 }],
      { a: [{ b: 2 }] },
    ],
    ['the empty key', { '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
    [
      'null is a value',
      { a: 1 },
      [
        { op: 'add', path: '/a', value: null },
        { op: 'test', path: '/a', value: null },
      ],
      { a: null },
    ],
    ['digits are a key of an object', { a: {} }, [{ op: 'add', path: '/a/01', value: 1 }], { a: { '01': 1 } }],
    [
      'test ignores the order of keys',
      { a: { x: 1, y: 2 } },
      [{ op: 'test', path: '/a', value: { y: 2, x: 1 } }],
      { a: { x: 1, y: 2 } },
    ],
    [
      'names that every object inherits',
      {},
      [
        { op: 'add', path: '/constructor', value: 'a' },
        { op: 'add', path: '/hasOwnProperty', value: 'b' },
        { op: 'move', from: '/constructor', path: '/toString' },
      ],
      { hasOwnProperty: 'b', toString: 'a' },
    ],
  ])('%s', (_name, document, operations, result) => {
    expect(apply(document, operations)).toEqual(result);
  });

  test.each<BadCase>([
    [
      'a leading zero before an index beyond the end',
      { a: [1, 2] },
      [{ op: 'replace', path: '/a/02', value: 0 }],
      'replace operation does not apply: doc is missing key: /a/02: missing value',
    ],
    [
      'a negative index before the start',
      { a: [1, 2] },
      [{ op: 'remove', path: '/a/-3' }],
      "error in remove for path: '/a/-3': Unable to access invalid index: -3: invalid index referenced",
    ],
    [
      'an insertion before the start',
      { a: [1, 2] },
      [{ op: 'add', path: '/a/-4', value: 0 }],
      "error in add for path: '/a/-4': Unable to access invalid index: -4: invalid index referenced",
    ],
    [
      'two signs',
      { a: [1, 2] },
      [{ op: 'test', path: '/a/--1', value: 2 }],
      'test operation does not apply: is missing path: /a/--1: missing value',
    ],
    [
      'only a sign',
      { a: [1, 2] },
      [{ op: 'test', path: '/a/+', value: 2 }],
      'test operation does not apply: is missing path: /a/+: missing value',
    ],
    [
      'an index beyond all numbers',
      { a: [1, 2] },
      [{ op: 'remove', path: `/a/-${'9'.repeat(400)}` }],
      `error in remove for path: '/a/-${'9'.repeat(400)}': Unable to access invalid index: -${'9'.repeat(400)}: invalid index referenced`,
    ],
    [
      'an index beyond the end',
      { a: [] },
      [{ op: 'add', path: '/a/1', value: 0 }],
      "error in add for path: '/a/1': Unable to access invalid index: 1: invalid index referenced",
    ],
    [
      'an exponent as index',
      { a: [1, 2] },
      [{ op: 'add', path: '/a/1e0', value: 0 }],
      "error in add for path: '/a/1e0': Unable to access invalid index: 1e0: invalid index referenced",
    ],
    [
      'a dash names no existing item',
      { a: [1] },
      [{ op: 'test', path: '/a/-', value: 1 }],
      'test operation does not apply: is missing path: /a/-: missing value',
    ],
    [
      'a property of arrays',
      { a: [1] },
      [{ op: 'replace', path: '/a/length', value: 0 }],
      'replace operation does not apply: doc is missing key: /a/length: missing value',
    ],
    [
      'remove of a missing member',
      { a: {} },
      [{ op: 'remove', path: '/a/b' }],
      "error in remove for path: '/a/b': Unable to remove nonexistent key: b: missing value",
    ],
    [
      'remove below a scalar',
      { a: 'text' },
      [{ op: 'remove', path: '/a/0' }],
      'remove operation does not apply: doc is missing path: "/a/0": missing value',
    ],
    [
      'replace of a missing item',
      { a: [1] },
      [{ op: 'replace', path: '/a/1', value: 1 }],
      'replace operation does not apply: doc is missing key: /a/1: missing value',
    ],
    [
      'replace below a missing member',
      {},
      [{ op: 'replace', path: '/a/b', value: 1 }],
      'replace operation does not apply: doc is missing path: /a/b: missing value',
    ],
    [
      'test of a missing member against a value',
      {},
      [{ op: 'test', path: '/a', value: 1 }],
      'testing value /a failed: test failed',
    ],
    [
      'test against null below a missing member',
      {},
      [{ op: 'test', path: '/a/b', value: null }],
      'test operation does not apply: is missing path: /a/b: missing value',
    ],
    [
      'test against null below a scalar',
      { a: 1 },
      [{ op: 'test', path: '/a/b', value: null }],
      'test operation does not apply: is missing path: /a/b: missing value',
    ],
    [
      'test of a missing item against null',
      { a: [1] },
      [{ op: 'test', path: '/a/1', value: null }],
      'test operation does not apply: is missing path: /a/1: missing value',
    ],
    [
      'move of a missing member',
      { a: {} },
      [{ op: 'move', from: '/a/b', path: '/c' }],
      "error in move for path: 'b': Unable to remove nonexistent key: b: missing value",
    ],
    [
      'move from below a missing member',
      {},
      [{ op: 'move', from: '/a/b', path: '/c' }],
      'move operation does not apply: doc is missing from path: /a/b: missing value',
    ],
    [
      'move below a missing member',
      { a: 1 },
      [{ op: 'move', from: '/a', path: '/b/c' }],
      'move operation does not apply: doc is missing destination path: /b/c: missing value',
    ],
    [
      'move into itself',
      { a: { b: {} } },
      [{ op: 'move', from: '/a', path: '/a/b/c' }],
      'move operation does not apply: from path /a is a prefix of path /a/b/c',
    ],
    [
      'copy of a missing member',
      {},
      [{ op: 'copy', from: '/a', path: '/b' }],
      'copy operation does not apply: doc is missing from path: /a: missing value',
    ],
    [
      'a pointer without a slash',
      { a: 1 },
      [{ op: 'remove', path: 'a' }],
      'remove operation does not apply: not a JSON pointer: a',
    ],
    [
      'an invalid escape',
      { 'a~2': 1 },
      [{ op: 'remove', path: '/a~2' }],
      'remove operation does not apply: not a JSON pointer: /a~2',
    ],
    [
      'a tilde at the end',
      { 'a~': 1 },
      [{ op: 'remove', path: '/a~' }],
      'remove operation does not apply: not a JSON pointer: /a~',
    ],
    ['no path', {}, [{ op: 'add', value: 1 }], 'add operation failed to decode path: missing value'],
    [
      'no from',
      {},
      [{ op: 'copy', path: '/a' }],
      'copy operation failed to decode from: operation, missing from field: missing value',
    ],
    ['no op', {}, [{ path: '/a' }], 'Unexpected kind: unknown'],
    ['an op named like an inherited member', {}, [{ op: 'constructor', path: '/a' }], 'Unexpected kind: constructor'],
    ['an op in upper case', {}, [{ op: 'Add', path: '/a', value: 1 }], 'Unexpected kind: Add'],
  ])('%s is rejected', (_name, document, operations, detail) => {
    expectFailure(() => apply(document, operations), 422, detail);
  });

  test('the answer does not disclose the reason', () => {
    expect(failureOf(() => apply({}, [{ op: 'remove', path: '/a' }])).status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      code: 422,
      reason: 'Invalid',
      details: {},
      message: 'the server rejected our request due to an error in our request',
    });
  });

  test('unchanged parts are shared', () => {
    const document = deepFreeze({ a: { b: 1 }, c: { d: [1] } });
    const result = applyJsonPatch(document, [{ op: 'replace', path: '/a/b', value: 2 }]) as typeof document;
    expect(result.c).toBe(document.c);
    expect(result.a).not.toBe(document.a);
  });
});

describe('decodeJsonPatch', () => {
  test.each<readonly [JsonValue, string]>([
    [{ op: 'add' }, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    [['add'], 'error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp'],
    [
      [{ op: 1 }],
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
    [
      [{ op: 'add', path: ['a'] }],
      'error decoding patch: json: cannot unmarshal array into Go struct field jsonPatchOp.path of type string',
    ],
  ])('%j is no patch', (body, detail) => {
    expectFailure(() => decodeJsonPatch(body), 400, detail);
  });

  test('null is a patch without operations, and an operation without members', () => {
    expect(decodeJsonPatch(null)).toEqual({ operations: [], unknownFields: [] });
    expect(decodeJsonPatch([null])).toEqual({ operations: [{}], unknownFields: [] });
  });

  test('it can pause at each operation, and at each member of one', () => {
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, 1]));
    const operations = Array.from({ length: 500 }, () => ({ op: 'remove', path: '/a' }));
    const steps = decodeJsonPatchSteps({ ...UNBOUNDED_WORK, spend: () => true }, [unknown, ...operations]);
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses += 1;
    expect(pauses).toBeGreaterThan(2 * 500 + 500);
    expect(step.value).toEqual(decodeJsonPatch([unknown, ...operations]));
  });

  test('unknown members are reported in order, absent ones stay absent', () => {
    expect(
      decodeJsonPatch([
        { op: 'remove', path: null, b: 1, a: 2 },
        { from: '/a', value: null, Op: 'add' },
      ]),
    ).toEqual({
      operations: [{ op: 'remove' }, { from: '/a', value: null }],
      unknownFields: ['[0].b', '[0].a', '[1].Op'],
    });
  });
});

describe('attacks', () => {
  test('more than 10,000 operations', () => {
    const operations = (count: number): JsonPatchOperation[] =>
      Array.from({ length: count }, () => ({ op: 'test', path: '/a', value: 1 }));
    expect(apply({ a: 1 }, operations(10_000))).toEqual({ a: 1 });
    const error = failureOf(() => apply({ a: 1 }, operations(10_001)));
    expect([error.code, error.reason, error.message]).toEqual([
      413,
      'RequestEntityTooLarge',
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    ]);
  });

  test('a limit that is undefined is the default', () => {
    const operations = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '', value: {} }) as const);
    expectFailure(() => applyJsonPatch({}, operations, { maxOperations: undefined }), 413, /10000, got 10001$/);
  });

  test('the limits are options', () => {
    expectFailure(
      () => applyJsonPatch({ a: 1 }, [{ op: 'remove', path: '/a' }], { maxOperations: 0 }),
      413,
      /0, got 1$/,
    );
    expectFailure(
      () => applyJsonPatch({ a: 'xx' }, [{ op: 'copy', from: '/a', path: '/b' }], { maxCopiedBytes: 3 }),
      422,
      'Unable to copy, the accumulated size increase of copy is 4, exceeding the limit 3',
    );
    expect(applyJsonPatch({ a: 'xx' }, [{ op: 'copy', from: '/a', path: '/b' }], { maxCopiedBytes: 4 })).toEqual({
      a: 'xx',
      b: 'xx',
    });
  });

  test('a copy bomb', () => {
    const doubling = Array.from({ length: 60 }, (_, index) => ({ op: 'copy', from: '', path: `/a${index}` }));
    expectFailure(
      () => apply({ text: 'x'.repeat(100) }, doubling),
      422,
      /^Unable to copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/,
    );
  });

  test('the counted size is that of the JSON', () => {
    const value = { a: ['x', 1.5, true, null, {}, []], 'ü"': -3 };
    const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
    const copy = (maxCopiedBytes: number): JsonValue =>
      applyJsonPatch({ value }, [{ op: 'copy', from: '/value', path: '/b' }], { maxCopiedBytes });
    expect(copy(bytes)).toEqual({ value, b: value });
    expectFailure(() => copy(bytes - 1), 422, /^Unable to copy/);
  });

  test('prototypes cannot be reached', () => {
    expectFailure(() => apply({}, [{ op: 'add', path: '/__proto__/polluted', value: 1 }]), 422, /missing path/);
    expectFailure(
      () => apply({}, [{ op: 'add', path: '/constructor/prototype/polluted', value: 1 }]),
      422,
      /missing path/,
    );
    expectFailure(() => apply({}, [{ op: 'copy', from: '/toString', path: '/a' }]), 422, /missing from path/);
    const result = apply({}, [{ op: 'add', path: '/__proto__', value: { polluted: 1 } }]) as object;
    expect(Object.keys(result)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect('polluted' in result).toBe(false);
    const inner = applyJsonPatch(result as JsonValue, [
      { op: 'add', path: '/__proto__/more', value: 2 },
      { op: 'move', from: '/__proto__', path: '/seen' },
    ]);
    expect(inner).toEqual({ seen: { polluted: 1, more: 2 } });
  });

  test('deep nesting', () => {
    const nested = (depth: number): JsonValue => parse('['.repeat(depth) + ']'.repeat(depth));
    const add = (path: string, depth: number): JsonPatchOperation => ({ op: 'add', path, value: nested(depth) });
    expect(applyJsonPatch({}, [add('/a', MAX_PATCH_DEPTH - 1)])).toBeTypeOf('object');
    expectFailure(() => applyJsonPatch({}, [add('/a', MAX_PATCH_DEPTH + 1)]), 400, 'exceeded max depth');
    // Each value is shallow; they are put into one another.
    const stacked = Array.from({ length: 12 }, (_, index) =>
      add(`/a${'/0'.repeat(index * 999)}${index === 0 ? '' : '/0'}`, 1_000),
    );
    expectFailure(() => applyJsonPatch({}, stacked), 400, 'exceeded max depth');
    const copied = [
      ...stacked,
      { op: 'copy', from: '/a', path: '/b' },
      { op: 'remove', path: '/a/0' },
      { op: 'remove', path: '/b/0' },
    ];
    expect(applyJsonPatch({}, copied)).toEqual({ a: [], b: [] });
  });
});

describe('properties', () => {
  const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
  const key = fc
    .oneof(fc.constantFrom('a', 'b', '~', '/', '', '0', '-', 'constructor'), fc.string({ maxLength: 3 }))
    .filter((name) => name !== '__proto__');
  const escape = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

  test('add, then test; remove restores the previous value', () => {
    fc.assert(
      fc.property(fc.dictionary(key, json), key, json, (document, name, value) => {
        const path = `/${escape(name)}`;
        const added = apply(document, [
          { op: 'add', path, value },
          { op: 'test', path, value },
        ]);
        expect(added).toEqual({ ...document, [name]: value });
        if (!Object.hasOwn(document, name)) expect(apply(added, [{ op: 'remove', path }])).toEqual(document);
      }),
    );
  });

  test('random operations never change the frozen document, and apply completely or not at all', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', '0', '1', '-', '__proto__', 'length'), { maxLength: 3 })
      .map((tokens) => tokens.map((token) => `/${token}`).join(''));
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
      path,
      from: path,
      value: json,
    });
    const document = fc.record({
      a: fc.array(json, { maxLength: 3 }),
      b: fc.dictionary(fc.constantFrom('a', 'b', '0'), json),
    });
    fc.assert(
      fc.property(document, fc.array(operation, { maxLength: 6 }), (before, operations) => {
        const frozen = deepFreeze(structuredClone(before));
        try {
          applyJsonPatch(frozen, deepFreeze(operations));
        } catch (error) {
          expect((error as { code?: number }).code).toBe(422);
        }
        expect(frozen).toEqual(before);
      }),
      { numRuns: 500 },
    );
  });
});

describe('an operation on a value of many', () => {
  const many = (count: number, value: JsonValue = 1): JsonValue =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
  const list = (count: number): JsonValue => Array.from({ length: count }, () => 1);
  /** Work that pauses whenever it may. */
  const pausing = { ...UNBOUNDED_WORK, spend: () => true };

  test.each<[string, (count: number) => [document: JsonValue, operations: readonly JsonPatchOperation[]], number]>([
    ['add', (count) => [{}, [{ op: 'add', path: '/a', value: many(count) }]], 1],
    ['replace', (count) => [{ a: 1 }, [{ op: 'replace', path: '/a', value: many(count) }]], 1],
    ['copy', (count) => [{ a: many(count) }, [{ op: 'copy', from: '/a', path: '/b' }]], 1],
    ['test', (count) => [{ a: many(count) }, [{ op: 'test', path: '/a', value: many(count) }]], 4],
    [
      'test of numbers as written',
      (count) => [{ a: many(count, WRITTEN) }, [{ op: 'test', path: '/a', value: many(count, 4) }]],
      4,
    ],
    [
      'a list with an inserted item',
      (count) => [
        { a: list(count) },
        [
          { op: 'add', path: '/a/0', value: 1 },
          { op: 'copy', from: '/a', path: '/b' },
        ],
      ],
      2,
    ],
  ])('pauses at each member: %s', (_name, patchOf, pausesPerMember) => {
    const [document, operations] = patchOf(3_000);
    const steps = jsonPatchSteps(pausing, document, operations);
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses += 1;
    expect(step.value).toEqual(applyJsonPatch(document, operations));
    // The depth of the result is looked at, too.
    expect(pauses).toBeGreaterThan((pausesPerMember + 1) * 3_000 - 100);
  });
});
