import { expect, test } from 'vitest';
import { MemoryBudget } from '../../../src/storage/memory-budget.js';
import { TextCache, type EvictableRecord } from '../../../src/storage/state/records/evictable-record.js';

const TEXT_LENGTH = 1000;
/** Room for three texts. */
const LIMIT = 3 * (TEXT_LENGTH + 100);

const textOf = (key: string): string => key.padEnd(TEXT_LENGTH, '.');

/** A cache, its records, and the keys of the texts that were read from the store. */
function cacheOf(...keys: string[]): { cache: TextCache; records: EvictableRecord[]; reads: string[] } {
  const reads: string[] = [];
  const cache = new TextCache(LIMIT, ({ key }) => {
    reads.push(key);
    return textOf(key);
  });
  return { cache, records: keys.map((key, index) => cache.unread(key, TEXT_LENGTH, index + 2, index + 2)), reads };
}

test('a text is read once while it fits', () => {
  const { records, reads } = cacheOf('a', 'b', 'c');
  for (const _round of [1, 2, 3]) expect(records.map(({ text }) => text)).toEqual(['a', 'b', 'c'].map(textOf));
  expect(reads).toEqual(['a', 'b', 'c']);
});

test('the texts in memory never exceed the limit', () => {
  const { cache, records } = cacheOf(...Array.from({ length: 50 }, (_, index) => `key-${index}`));
  for (const record of [...records, ...records]) {
    expect(record.text).toBe(textOf(record.key));
    expect(cache.bytes).toBeLessThanOrEqual(LIMIT);
  }
});

test('a text that is used stays, the others make room', () => {
  const { records, reads } = cacheOf('hot', ...Array.from({ length: 20 }, (_, index) => `cold-${index}`));
  const [hot, ...others] = records;
  for (const other of others) {
    expect(hot?.text).toBe(textOf('hot'));
    expect(other.text).toBe(textOf(other.key));
  }
  expect(reads.filter((key) => key === 'hot')).toHaveLength(1);
});

test('a text that the store does not have yet stays whatever is read', () => {
  const { cache, records, reads } = cacheOf(...Array.from({ length: 20 }, (_, index) => `key-${index}`));
  const written = cache.record('written', textOf('written'), 100, 100, undefined);
  for (const record of records) expect(record.text).toBe(textOf(record.key));
  expect(written.text).toBe(textOf('written'));
  cache.keep(written);
  for (const _round of [1, 2]) for (const record of records) expect(record.text).toBe(textOf(record.key));
  expect(reads).not.toContain('written');
  expect(written.text).toBe(textOf('written'));
  expect(reads).toContain('written');
});

test('a text longer than the limit is readable, and is not kept', () => {
  const reads: string[] = [];
  const cache = new TextCache(10, ({ key }) => {
    reads.push(key);
    return textOf(key);
  });
  const record = cache.unread('long', TEXT_LENGTH, 2, 2);
  expect([record.text, record.text]).toEqual([textOf('long'), textOf('long')]);
  expect(cache.bytes).toBe(0);
  expect(record.textLength).toBe(TEXT_LENGTH);
});

test('the memory counts against the budget, which gets it back when memory is short', () => {
  const budget = new MemoryBudget({ historyBytes: 1_000_000, memoryBytes: 10_000 });
  const { cache, records } = cacheOf('a', 'b', 'c');
  cache.countAgainst(budget);
  for (const record of records) expect(record.text).toBe(textOf(record.key));
  expect(budget.usedFor('objectTexts')).toBe(cache.bytes);
  expect(cache.bytes).toBeGreaterThan(3 * TEXT_LENGTH);
  expect(budget.open('bodies').tryHold(9_500)).toBe(true);
  expect(cache.bytes).toBe(0);
  expect(budget.usedFor('objectTexts')).toBe(0);
  expect(records.map(({ text }) => text)).toEqual(['a', 'b', 'c'].map(textOf));
});
