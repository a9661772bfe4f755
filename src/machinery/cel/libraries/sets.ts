/**
 * Lists as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`.
 *
 * @module
 */
import type { Steps } from '../../../foundation/index.js';
import { addBounds, exactly, multiplyBounds, scaleBounds, unknownSize } from '../cost/cost-bounds.js';
import type { Meter } from '../cost/meter.js';
import { hasItem } from '../evaluate/equality.js';
import type { CelList } from '../evaluate/values.js';
import { declare, overloadInSteps, type CelLibrary, type FunctionDeclaration } from '../types/declarations.js';
import { boolType, listType, typeParameter } from '../types/types.js';

const list = listType(typeParameter('T'));

function* containsAll(items: CelList, others: CelList, meter: Meter): Steps<boolean> {
  for (const other of others) if (!(yield* hasItem(items, other, meter))) return false;
  return true;
}

function* intersects(items: CelList, others: CelList, meter: Meter): Steps<boolean> {
  for (const item of items) if (yield* hasItem(others, item, meter)) return true;
  return false;
}

function* equivalent(items: CelList, others: CelList, meter: Meter): Steps<boolean> {
  return (yield* containsAll(items, others, meter)) && (yield* containsAll(others, items, meter));
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
  test: (a: CelList, b: CelList, meter: Meter) => Steps<boolean>,
): FunctionDeclaration =>
  declare(name, {
    ...overloadInSteps(
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
    onLists('sets.equivalent', 'list_sets_equivalent_list', 2, equivalent),
    onLists('sets.intersects', 'list_sets_intersects_list', 1, intersects),
  ],
};
