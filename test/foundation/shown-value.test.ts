import { expect, test } from 'vitest';
import { LONG_VALUE, shownGoSyntax, shownGoValue } from '../../src/foundation/index.js';

test('short values are shown as Go prints them', () => {
  expect(shownGoValue({ b: [1, 'x'], a: null })).toBe('map[a:<nil> b:[1 x]]');
  expect(shownGoSyntax({ b: [1, 'x'], a: null })).toBe(
    'map[string]interface {}{"a":interface {}(nil), "b":[]interface {}{1, "x"}}',
  );
  expect([shownGoValue('x'), shownGoSyntax('x'), shownGoValue(null), shownGoSyntax(1)]).toEqual([
    ...['x', '"x"', '<nil>', '1'],
  ]);
});

test('of long lists and objects only the length is shown', () => {
  const list = Array.from({ length: 10_000 }, () => 1);
  expect(LONG_VALUE).toBe('… (more than 16,384 characters)');
  expect([shownGoValue([list, list]), shownGoSyntax([list, list])]).toEqual([LONG_VALUE, LONG_VALUE]);
  expect(shownGoValue({ a: 'x'.repeat(20_000) })).toBe(LONG_VALUE);
});

test('of long texts the beginning is shown', () => {
  const beginning = 'x'.repeat(16_384);
  expect(shownGoValue('x'.repeat(20_000))).toBe(`${beginning}… (3,616 more)`);
  expect(shownGoSyntax('x'.repeat(20_000))).toBe(`"${beginning}"… (3,616 more)`);
});
