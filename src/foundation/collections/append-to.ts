/** Appends a value to the list of a key in a map of lists. */
export function appendTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/**
 * Appends values to a list, however many there are: `list.push(...values)` overflows the stack beyond about 120,000.
 */
export function appendAll<Value>(list: Value[], values: Iterable<Value>): void {
  for (const value of values) list.push(value);
}

/** Returns the least of some numbers, however many there are; `initial` when there is none. */
export function least(numbers: Iterable<number>, initial = Infinity): number {
  let found = initial;
  for (const number of numbers) found = Math.min(found, number);
  return found;
}

/** Returns the greatest of some numbers, however many there are; `initial` when there is none. */
export function greatest(numbers: Iterable<number>, initial = -Infinity): number {
  let found = initial;
  for (const number of numbers) found = Math.max(found, number);
  return found;
}

/** Number of items of a list from which the room that the engine adds matters little. */
const MANY = 1000;

/**
 * Returns a list that was built item by item without the room that the engine has left for more: a list of one item takes
 * 150 bytes with it, and 24 without. For lists that are kept.
 */
export const withoutRoom = <Value>(list: Value[]): Value[] => (list.length < MANY ? list.slice() : list);
