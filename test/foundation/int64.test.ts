import { expect, test } from 'vitest';
import { compareInt64, integerWithin, secondsAsMs, nextInt64 } from '../../src/foundation/json/int64.js';

test.each<[number | bigint, number]>([
  [0, 0],
  [30, 30_000],
  [-1, -1_000],
  [0.5, 500],
  [9_223_372_036, 9_223_372_036_000],
  // The nanoseconds of one second more do not fit into 64 bits.
  [9_223_372_037, -9_223_372_036_709],
  [2n ** 55n + 100_000n, 100_000_000],
  [2n ** 63n - 1n, -1_000],
])('%s seconds are %s milliseconds', (seconds, ms) => {
  expect(secondsAsMs(seconds) + 0).toBe(ms);
});

test.each<[number | bigint, number | bigint]>([
  [1, 2],
  [2 ** 53 - 1, 2n ** 53n],
  [-(2n ** 53n), -(2 ** 53) + 1],
  [3546343826724305832n, 3546343826724305833n],
  [2n ** 63n - 1n, -(2n ** 63n)],
])('the integer after %s is %s', (value, next) => {
  expect(nextInt64(value)).toBe(next);
});

test('integers of both forms are ordered', () => {
  const integers = [5, 3546343826724305833n, -(2n ** 60n), 3546343826724305832n, -1];
  expect(integers.sort(compareInt64)).toEqual([-(2n ** 60n), -1, 5, 3546343826724305832n, 3546343826724305833n]);
});

test.each<[string, bigint | undefined]>([
  ['0', 0n],
  ['-0', 0n],
  ['+7', 7n],
  ['-8', -8n],
  ['0000000000000000000000000000000000007', 7n],
  ['9223372036854775807', 2n ** 63n - 1n],
  ['9223372036854775808', undefined],
  ['-9223372036854775808', -(2n ** 63n)],
  ['-9223372036854775809', undefined],
  ['7'.repeat(2_000_000), undefined],
])('the text %.40s is the integer %s within 64 bits', (text, integer) => {
  expect(integerWithin(text, -(2n ** 63n), 2n ** 63n - 1n)).toBe(integer);
});
