import { expect, test } from 'vitest';
import { Linked, LinkedList } from '../../src/foundation/collections/linked-list.js';

class Item extends Linked<Item> {
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }
}

const names = (list: LinkedList<Item>): string => [...list].map(({ name }) => name).join('');

test('keeps its members in the order in which they were added', () => {
  const list = new LinkedList<Item>();
  const [a, b, c] = [new Item('a'), new Item('b'), new Item('c')];
  for (const item of [a, b, c, b]) list.add(item);
  expect([names(list), list.size, list.first]).toEqual(['abc', 3, a]);
  expect([list.delete(b), list.delete(b), names(list), list.has(b), list.has(a)]).toEqual([
    true,
    false,
    'ac',
    false,
    true,
  ]);
  list.add(b);
  expect(names(list)).toBe('acb');
  expect([list.delete(a), list.delete(b), names(list), list.first]).toEqual([true, true, 'c', c]);
  list.delete(c);
  expect([names(list), list.size, list.first]).toEqual(['', 0, undefined]);
});

test('a member that leaves refers to nothing in the list, so that garbage keeps no other garbage', () => {
  const list = new LinkedList<Item>();
  const items = ['a', 'b', 'c'].map((name) => new Item(name));
  for (const item of items) list.add(item);
  for (const item of items) list.delete(item);
  expect(items.map(({ list: of, before, after }) => [of, before, after])).toEqual(
    items.map(() => [undefined, undefined, undefined]),
  );
});

test('whoever iterates may remove the member that it has got', () => {
  const list = new LinkedList<Item>();
  for (const name of 'abcd') list.add(new Item(name));
  for (const item of list) if (item.name !== 'c') list.delete(item);
  expect(names(list)).toBe('c');
});

test('a member is in one list at a time', () => {
  const [list, other] = [new LinkedList<Item>(), new LinkedList<Item>()];
  const item = new Item('a');
  list.add(item);
  expect(() => other.add(item)).toThrow('a member of another list');
  expect(other.delete(item)).toBe(false);
  expect(names(list)).toBe('a');
});
