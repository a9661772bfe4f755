import { expectProportional, unitsOf } from './units.js';
import { describe, expect, test } from 'vitest';

const list = (length: number): string[] => Array.from({ length }, (_, index) => `item-${index}`);
const SIZE = 500;

describe('units', () => {
  test('are the same in every run', async () => {
    const work = (): number => list(SIZE).reduce((sum, item) => sum + (item.endsWith('7') ? 1 : 2), 0);
    await unitsOf(work);
    const [first, second] = [await unitsOf(work), await unitsOf(work)];
    expect(first).toBeGreaterThan(SIZE);
    expect(Math.abs(first - second)).toBeLessThan(SIZE / 100);
  });

  test.each<[string, (items: readonly string[]) => unknown]>([
    ['a loop', (items) => items.map((item) => item.length)],
    ['a sort', (items) => [...items].sort((a, b) => (a < b ? -1 : 1))],
    ['a set', (items) => items.filter((item) => new Set(['a']).has(item))],
  ])('grow in proportion for %s', async (_name, work) => {
    await expectProportional((size) => {
      const items = list(size);
      return () => work(items);
    }, SIZE);
  });

  test.each<[string, (items: readonly string[]) => unknown]>([
    ['a loop in a loop', (items) => items.map((one) => items.map((other) => one === other))],
    ['a search in a list', (items) => items.filter((item) => items.includes(item))],
    ['a search in a text', (items) => items.filter((item) => items.join().indexOf(item))],
    ['a copied list', (items) => items.reduce<string[]>((all, item) => [...all, item], [])],
    ['a copied map', (items) => items.reduce((all, item) => new Map([...all, [item, 1]]), new Map<string, number>())],
    ['insertions in front', (items) => items.reduce<string[]>((all, item) => (all.unshift(item), all), [])],
    ['copied keys', (items) => items.map((_, index) => Object.keys(items.slice(index)))],
  ])('do not grow in proportion for %s', async (_name, work) => {
    const proportional = expectProportional((size) => {
      const items = list(size);
      return () => work(items);
    }, SIZE);
    await expect(proportional).rejects.toThrow(/units/);
  });
});
