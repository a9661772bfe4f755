import { describe, expect, test } from 'vitest';
import { IndexSet } from '../../../src/controllers/jobs/job/index-set.js';

describe('a set of indexes', () => {
  test.each([
    [[], ''],
    [[3], '3'],
    [[0, 1], '0,1'],
    [[0, 1, 2], '0-2'],
    [[7, 0, 2, 1, 5, 6, 9], '0-2,5-7,9'],
  ])('of %j is written %j, and read again', (indexes, text) => {
    const set = IndexSet.of(indexes);
    expect(String(set)).toBe(text);
    expect(String(IndexSet.parse(text, 10))).toBe(text);
    expect(set.size).toBe(indexes.length);
    for (let index = 0; index < 10; index += 1) expect(set.has(index)).toBe(indexes.includes(index));
  });

  test.each([
    ['0-9', 5, '0-4'],
    ['0,x,2', 5, '0,2'],
    ['1-2,3', 5, '1-3'],
    ['7', 5, ''],
  ])('%j of %i completions is %j', (text, completions, read) =>
    expect(String(IndexSet.parse(text, completions))).toBe(read),
  );

  test('finds the lowest missing indexes', () => {
    const set = IndexSet.of([0, 2, 3, 6]);
    expect(set.missing(3, 10)).toEqual([1, 4, 5]);
    expect(set.missing(10, 8)).toEqual([1, 4, 5, 7]);
    expect(set.missing(10, 1)).toEqual([]);
  });

  test('counts what it shares with another one', () => {
    expect(IndexSet.parse('0-4,8', 10).shared(IndexSet.parse('3-8', 10))).toBe(3);
    expect(String(IndexSet.parse('0-4', 10).union(IndexSet.parse('5,7', 10)))).toBe('0-5,7');
  });
});
