/** The text of a value with bigints is that of JSON.stringify, in time that grows with the value. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectProportional, unitsOf } from '../support/units.js';
import { textWithBigIntegers } from '../../src/foundation/json/big-integer-text.js';
import { hasBigIntegers, holdAsWritten, jsonText, jsonValue } from '../../src/foundation/json/json-text.js';

test('a value without bigints has the text of JSON.stringify', () => {
  const odd = fc.constantFrom<unknown>(undefined, () => 1, Symbol('a'), NaN, -0, Infinity, new Date(0), {}, []);
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'é', '\ud800', 'a') }),
      fc.double(),
      odd,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', '"', '2', '__proto__', 'toString'), tie('tree'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(fc.record({ tree }), fc.constantFrom(0, 2, 4), (value, indent) => {
      expect(textWithBigIntegers(value, indent)).toBe(JSON.stringify(value, undefined, indent));
    }),
    { numRuns: 1000 },
  );
});

test('bigints become integers', () => {
  expect(textWithBigIntegers({ a: [1n, { b: -(2n ** 63n) }], c: 'x' }, 2)).toBe(
    '{\n  "a": [\n    1,\n    {\n      "b": -9223372036854775808\n    }\n  ],\n  "c": "x"\n}',
  );
});

test('many bigints take time in proportion to their number', async () => {
  const map = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 2n ** 53n + BigInt(index)]));
  await expectProportional((size) => {
    const value = { map: map(size), list: Object.values(map(size)) };
    return () => jsonText(value);
  }, 2000);
  await expectProportional((size) => {
    const text = jsonText({ map: map(size), list: Object.values(map(size)) });
    return () => jsonValue(text);
  }, 2000);
});

test('the search for a bigint ends at the first one', async () => {
  const unitsFor = async (size: number): Promise<number> => {
    const text = jsonText({ first: 2n ** 53n, more: Array.from({ length: size }, () => 2n ** 53n) });
    return unitsOf(() => expect(hasBigIntegers(text)).toBe(true));
  };
  await unitsFor(2000);
  expect(await unitsFor(20_000)).toBeLessThan(2 * (await unitsFor(2000)));
});

test('a double that is written as an integer is held as one', () => {
  const object = { list: Array.from({ length: 5000 }, (_, index) => (index === 4999 ? 2 ** 60 : index / 2)) };
  holdAsWritten(object);
  expect(object.list[4999]).toBe(BigInt(String(2 ** 60)));
  expect(object.list[4998]).toBe(2499);
});
