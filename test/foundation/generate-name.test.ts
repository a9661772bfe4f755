import { expect, test } from 'vitest';
import type { Entropy } from '../../src/foundation/time/clock.js';
import { generateName, MAX_GENERATED_NAME_BASE } from '../../src/foundation/objects/generate-name.js';
import { utf8Length } from '../../src/foundation/go/go-text.js';
import { systemEntropy } from '../../src/foundation/host/system-runtime.js';

/** Returns the listed bytes, repeatedly. */
function cycling(bytes: readonly number[]): Entropy {
  let at = 0;
  return {
    uuid: () => '00000000-0000-4000-8000-000000000000',
    bytes: (length) => Uint8Array.from({ length }, () => bytes[at++ % bytes.length] ?? 0),
  };
}

test('five characters of the safe alphabet are appended', () => {
  expect(generateName('job-', cycling([0, 1, 2, 25, 26]))).toBe('job-bcd89');
});

test('bytes that would favour some characters are drawn again', () => {
  expect(generateName('', cycling([243, 255, 0, 242, 27, 1, 2]))).toBe('b9bcd');
});

test('a source without usable bytes is an error, not an endless loop', () => {
  expect(() => generateName('a', cycling([255]))).toThrow('no usable bytes');
});

test('a long base is truncated so that the name has 63 bytes', () => {
  const name = generateName('g'.repeat(70), systemEntropy);
  expect(name).toMatch(/^g{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  expect(MAX_GENERATED_NAME_BASE).toBe(58);
  expect(generateName('g'.repeat(58), systemEntropy)).toHaveLength(63);
  // No character is split: 29 of two bytes fit, a 30th does not.
  const wide = generateName(`a${'é'.repeat(40)}`, systemEntropy);
  expect(utf8Length(wide)).toBe(62);
  expect(wide.startsWith(`a${'é'.repeat(28)}`)).toBe(true);
});

test('every character is about equally frequent', () => {
  const counts = new Map<string, number>();
  const entropy = cycling(Array.from({ length: 256 }, (_, byte) => byte));
  for (let round = 0; round < 243 * 10; round += 1) {
    for (const character of generateName('', entropy)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  expect(counts.size).toBe(27);
  const values = [...counts.values()];
  expect(Math.max(...values) - Math.min(...values)).toBeLessThanOrEqual(25);
});
