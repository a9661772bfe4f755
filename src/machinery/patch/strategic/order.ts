/**
 * The order of merged lists.
 *
 * Items of the patch come in the patch's order, other items in their old order. The old order interleaves the two;
 * where it does not decide, the patch's item comes first.
 *
 * Source: the design proposal "Preserve Order in Strategic Merge Patch".
 *
 * @module
 */
import { equalJson, goValue, type JsonValue } from '../../../foundation/index.js';
import { internalFailure } from '../patch-error.js';
import { DIRECTIVE, isDeletion, SET_ELEMENT_ORDER } from './directives.js';
import { asMap, keyOfItem, keyOfMap, positionsIn, type List } from './items.js';

/** An item with the positions of its key in the two orders; -1 when absent. */
interface Placed {
  readonly item: JsonValue;
  readonly inPatch: number;
  readonly before: number;
}

/** Returns a merged list in its final order. `patchOrder` and `oldOrder` have items with the same keys, or scalars. */
export function inOrder(merged: List, patchOrder: List, oldOrder: List, mergeKey: string, maps: boolean): List {
  const patchPositions = positionsIn(patchOrder, mergeKey, maps);
  const oldPositions = positionsIn(oldOrder, mergeKey, maps);
  const ofPatch: Placed[] = [];
  const others: Placed[] = [];
  for (const item of merged) {
    const key = keyOfItem(item, mergeKey, maps);
    const placed = { item, inPatch: patchPositions.get(key) ?? -1, before: oldPositions.get(key) ?? -1 };
    (placed.inPatch < 0 ? others : ofPatch).push(placed);
  }
  return interleave(sorted(others, 'before'), sorted(ofPatch, 'inPatch'));
}

/** Sorts items by a position; items that delete others come last. The sort is stable. */
function sorted(items: Placed[], by: 'before' | 'inPatch'): readonly Placed[] {
  items.sort((a, b) => a[by] - b[by]);
  if (!items.some(({ item }) => isDeletion(item))) return items;
  return [...items.filter(({ item }) => !isDeletion(item)), ...items.filter(({ item }) => isDeletion(item))];
}

function interleave(others: readonly Placed[], ofPatch: readonly Placed[]): List {
  const list: JsonValue[] = [];
  let at = 0;
  for (const placed of ofPatch) {
    // Only items of the old list have an old position to compare with.
    for (
      let other = others[at];
      other !== undefined && other.before >= 0 && other.before < placed.before;
      other = others[at]
    ) {
      list.push(other.item);
      at += 1;
    }
    list.push(placed.item);
  }
  for (; at < others.length; at += 1) list.push((others[at] as Placed).item);
  return list;
}

/**
 * Checks that the items of a patch are in the order that the patch sets, and that the order names all of them. Items
 * that delete others do not count.
 *
 * @throws PatchError when an item is not in the order
 */
export function checkOrder(patchList: List, order: List, mergeKey: string): void {
  if (patchList.length === 0 || order.length === 0) return;
  const items = mergeKey === '' ? patchList : patchList.filter((item) => asMap(item)[DIRECTIVE] === undefined);
  let at = 0;
  for (const wanted of order) {
    const item = items[at];
    if (item === undefined) return;
    if (sameKey(item, wanted, mergeKey)) at += 1;
  }
  if (at < items.length)
    throw internalFailure(
      `The order in patch list:\n${goValue(patchList)}\n doesn't match ${SET_ELEMENT_ORDER} list:\n${goValue(order)}\n`,
    );
}

function sameKey(item: JsonValue, wanted: JsonValue, mergeKey: string): boolean {
  return mergeKey === ''
    ? item === wanted
    : equalJson(keyOfMap(asMap(item), mergeKey), keyOfMap(asMap(wanted), mergeKey));
}
