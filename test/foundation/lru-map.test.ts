import { expect, test } from 'vitest';
import { LruMap } from '../../src/foundation/collections/lru-map.js';

test('drops the entries that were used least recently', () => {
  const dropped: number[] = [];
  const map = new LruMap<string, number>(3, { dropped: (value) => dropped.push(value) });
  ['a', 'b', 'c'].forEach((key, index) => map.set(key, index));
  expect(map.get('a')).toBe(0);
  map.set('d', 3);
  expect(dropped).toEqual([1]);
  expect([map.get('b'), map.get('c'), map.get('a'), map.get('d'), map.size]).toEqual([undefined, 2, 0, 3, 3]);
  expect(map.use('c', () => 9)).toBe(2);
  expect(map.use('e', () => 4)).toBe(4);
  expect(dropped).toEqual([1, 0]);
});

test('a value that is set again replaces the old one, and is used', () => {
  const map = new LruMap<string, number>(2);
  map.set('a', 1);
  map.set('b', 2);
  map.set('a', 3);
  map.set('c', 4);
  expect([map.get('a'), map.get('b'), map.get('c')]).toEqual([3, undefined, 4]);
});

test('entries count by their weight, and the latest one stays', () => {
  const map = new LruMap<string, string>(10, { weigh: (value, key) => value.length + key.length });
  map.set('a', 'xxx');
  map.set('b', 'xxx');
  expect(map.size).toBe(2);
  map.set('b', 'xxxxxx');
  expect([map.get('a'), map.get('b')]).toEqual([undefined, 'xxxxxx']);
  map.set('c', 'x'.repeat(50));
  expect([map.get('b'), map.size]).toEqual([undefined, 1]);
  // Nothing of the heavy entry is counted once it is gone.
  map.delete('c');
  map.delete('c');
  map.set('d', 'xxxx');
  map.set('e', 'xxxx');
  expect(map.size).toBe(2);
});

test('with the limit 0 nothing stays', () => {
  const dropped: number[] = [];
  const map = new LruMap<string, number>(0, { dropped: (value) => dropped.push(value) });
  map.set('a', 1);
  expect(map.use('b', () => 2)).toBe(2);
  expect([map.get('a'), map.get('b'), map.size, dropped]).toEqual([undefined, undefined, 0, [1, 2]]);
});

test('all entries can be taken, which drops none', () => {
  const dropped: number[] = [];
  const map = new LruMap<string, number>(2, { dropped: (value) => dropped.push(value) });
  map.set('a', 1);
  map.set('b', 2);
  expect([map.takeAll(), map.size, dropped]).toEqual([[1, 2], 0, []]);
  map.set('c', 3);
  expect(map.size).toBe(1);
});
