/** JSON texts with integers beyond what a double holds exactly. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  hasBigIntegers,
  holdAsWritten,
  integerValue,
  isBigInteger,
  jsonText,
  jsonValue,
} from '../../src/foundation/json/json-text.js';
import { cloneJson, equalJson, type JsonValue } from '../../src/foundation/json/json.js';

const BIG = 3546343826724305832n;

describe('the value of a text', () => {
  test.each<[string, JsonValue]>([
    ['3546343826724305832', BIG],
    ['-3546343826724305832', -BIG],
    [' [ 3546343826724305832 , 1 ] ', [BIG, 1]],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', 9223372036854775808],
    ['-9223372036854775809', -9223372036854775809],
    ['[1e18,1000000000000000000.0,0.12345678901234567]', [1e18, 1e18, 0.12345678901234567]],
    ['"3546343826724305832"', '3546343826724305832'],
    [String.raw`["\\",3546343826724305832,"\"",":3546343826724305832,"]`, ['\\', BIG, '"', ':3546343826724305832,']],
    [
      String.raw`{"a":"{\"b\":3546343826724305832}","b":3546343826724305832}`,
      { a: '{"b":3546343826724305832}', b: BIG },
    ],
    ['{"3546343826724305832":"3546343826724305832"}', { '3546343826724305832': '3546343826724305832' }],
    ['{"a":1,"a":3546343826724305832}', { a: BIG }],
  ])('%s', (text, value) => {
    expect(jsonValue(text)).toEqual(value);
  });
  test('has __proto__ as an ordinary key', () => {
    const value = jsonValue('{"__proto__":{"a":3546343826724305832}}') as Record<string, JsonValue>;
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toEqual({ a: BIG });
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
  test('of an invalid text is an error that shows the text', () => {
    expect(() => jsonValue('[3546343826724305832,')).toThrow(SyntaxError);
    expect(() => jsonValue('[3546343826724305832 x]')).toThrow(/x/);
  });
  test('may be nested deeply', () => {
    let value = jsonValue(`${'['.repeat(10_000)}3546343826724305832${']'.repeat(10_000)}`);
    while (Array.isArray(value)) value = value[0] as JsonValue;
    expect(value).toBe(BIG);
  });
});

describe('the text of a value', () => {
  test.each<[string, unknown]>([
    ['3546343826724305832', BIG],
    ['[3546343826724305832,-3546343826724305832]', [BIG, -BIG]],
    ['{"a":3546343826724305832,"c":[null,3546343826724305832]}', { a: BIG, b: undefined, c: [undefined, BIG] }],
    ['{"a":3546343826724305832,"at":"1970-01-01T00:00:00.000Z"}', { a: BIG, at: new Date(0) }],
    [String.raw`[3546343826724305832,"\ud800","\"\ud800"]`, [BIG, '\ud800', '"\ud800']],
    [String.raw`{"\ud800":3546343826724305832,"a":"\ud800\""}`, { '\ud800': BIG, a: '\ud800"' }],
    [String.raw`{"\"\ud800":"\ud800","b":[3546343826724305832]}`, { '"\ud800': '\ud800', b: [BIG] }],
  ])('%s', (text, value) => {
    expect(jsonText(value)).toBe(text);
  });
  test('may be indented', () => {
    expect(jsonText({ a: [BIG] }, 2)).toBe('{\n  "a": [\n    3546343826724305832\n  ]\n}');
  });
  test('of a value that contains itself is an error', () => {
    const value: Record<string, unknown> = { big: BIG };
    value['self'] = value;
    expect(() => jsonText(value)).toThrow(Error);
    expect(() => jsonText({ self: value['self'] })).toThrow(Error);
  });
});

test('text and value have a single form', () => {
  const integers = fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n });
  const strings = fc.string({ unit: fc.constantFrom('"', '\\', ':', ',', '1234567890123456', '\ud800', 'é', '{') });
  const { tree } = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      integers.map(integerValue),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }).map((value) => value + 0),
      strings,
      fc.constant(null),
      fc.array(tie('tree'), { maxLength: 5 }),
      fc.dictionary(fc.oneof(strings, fc.constant('__proto__')), tie('tree'), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const text = jsonText(value);
      const read = jsonValue(text);
      expect(jsonText(read)).toBe(text);
      expect(equalJson(read, value)).toBe(true);
      expect(equalJson(cloneJson(read), value)).toBe(true);
      expect(hasBigIntegers(text)).toBe(hasBigint(value));
    }),
    { numRuns: 2_000 },
  );
});

function hasBigint(value: JsonValue | undefined): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  return Object.values(value).some((member) => hasBigint(member as JsonValue | undefined));
}

test('a double whose text is such an integer becomes a bigint', () => {
  const object = { a: 1e18, b: [2 ** 53, { c: -(2 ** 62), d: 1e19, e: 0.5, f: 7, g: '1' }], h: null };
  const text = JSON.stringify(object);
  holdAsWritten(object);
  expect(object).toEqual(jsonValue(text));
  expect(object.a).toBe(10n ** 18n);
});

test.each<[bigint, number | bigint]>([
  [5n, 5],
  [2n ** 53n - 1n, 2 ** 53 - 1],
  [2n ** 53n, 2n ** 53n],
  [-(2n ** 63n), -(2n ** 63n)],
  [2n ** 63n, 2 ** 63],
])('the integer %s is held as %s', (integer, held) => {
  expect(integerValue(integer)).toBe(held);
  expect(cloneJson({ a: [integer] })).toEqual({ a: [held] });
  expect(isBigInteger(String(integer))).toBe(typeof held === 'bigint');
});
