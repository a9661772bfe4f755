/**
 * Lists as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`.
 *
 * @module
 */
import { addBounds, exactly, multiplyBounds, scaleBounds, unknownSize } from '../cost-bounds.js';
import { declare, overload, type CelLibrary, type FunctionDeclaration } from '../declarations.js';
import { equalValues } from '../equality.js';
import type { Meter } from '../meter.js';
import { boolType, listType, typeParameter } from '../types.js';
import type { CelList, CelValue } from '../values.js';

const list = listType(typeParameter('T'));

function includes(items: CelList, value: CelValue, meter: Meter): boolean {
  for (const item of items) if (equalValues(item, value, meter)) return true;
  return false;
}

function containsAll(items: CelList, others: CelList, meter: Meter): boolean {
  for (const other of others) if (!includes(items, other, meter)) return false;
  return true;
}

function intersects(items: CelList, others: CelList, meter: Meter): boolean {
  for (const item of items) if (includes(others, item, meter)) return true;
  return false;
}

/**
 * Declares a function on two lists.
 *
 * @param rounds how often all items may be compared with each other
 */
const onLists = (
  name: string,
  id: string,
  rounds: number,
  test: (a: CelList, b: CelList, meter: Meter) => boolean,
): FunctionDeclaration =>
  declare(name, {
    ...overload(
      id,
      [list, list],
      boolType,
      ([a, b], { meter }) => test(a, b, meter),
      ([a, b]) => 1 + a.size * b.size * rounds,
    ),
    estimate: ([a, b]) => ({
      cost: addBounds(exactly(1), scaleBounds(multiplyBounds(a?.size ?? unknownSize, b?.size ?? unknownSize), rounds)),
    }),
  });

/** The functions on sets. */
export const setsLibrary: CelLibrary = {
  name: 'sets',
  functions: [
    onLists('sets.contains', 'list_sets_contains_list', 1, containsAll),
    onLists(
      'sets.equivalent',
      'list_sets_equivalent_list',
      2,
      (a, b, meter) => containsAll(a, b, meter) && containsAll(b, a, meter),
    ),
    onLists('sets.intersects', 'list_sets_intersects_list', 1, intersects),
  ],
};
