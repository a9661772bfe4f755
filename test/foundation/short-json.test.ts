import { expect, test } from 'vitest';
import { parseShortJson, TooManyValues } from '../../src/foundation/json/short-json.js';

test('a text of any length with few values is parsed', () => {
  const long = { text: 'x'.repeat(100_000), list: [1, { a: null }] };
  expect(parseShortJson(JSON.stringify(long))).toEqual(long);
  expect(() => parseShortJson('{')).toThrow(SyntaxError);
});

test.each([
  ['lists', (count: number) => `[${Array.from({ length: count }, () => '[]').join(',')}]`],
  ['members', (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index}":0`).join(',')}}`],
  ['nested lists', (count: number) => '['.repeat(count) + ']'.repeat(count)],
])('a text with more than 20,000 values is refused: %s', (_name, text) => {
  expect(() => parseShortJson(text(9000))).not.toThrow();
  expect(() => parseShortJson(text(20_002))).toThrow(TooManyValues);
});
