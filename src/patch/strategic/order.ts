/**
 * The order of merged lists.
 *
 * Items that the patch speaks of come in the patch's order, the others in the order that they had. The two are interleaved
 * by the old order; where that does not tell, the patch's item goes first.
 *
 * Source: the design proposal "Preserve Order in Strategic Merge Patch".
 *
 * @module
 */
import { equalJson, type JsonValue } from '../../meta/json.js';
import { goValue } from '../go-value.js';
import { unfit } from '../patch-error.js';
import { DIRECTIVE, isDeletion, SET_ELEMENT_ORDER } from './directives.js';
import { asMap, keyOfItem, keyOfMap, positionsIn, type List } from './items.js';

/** An item with the places of its key in the two orders, -1 for none. */
interface Placed {
  readonly item: JsonValue;
  readonly inPatch: number;
  readonly before: number;
}

/** A merged list in its final order. `patchOrder` and `oldOrder` hold items with the same keys, or scalars. */
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

/** Sorted by a place; items that delete others come last. The sort is stable. */
function sorted(items: Placed[], by: 'before' | 'inPatch'): readonly Placed[] {
  items.sort((a, b) => a[by] - b[by]);
  if (!items.some(({ item }) => isDeletion(item))) return items;
  return [...items.filter(({ item }) => !isDeletion(item)), ...items.filter(({ item }) => isDeletion(item))];
}

function interleave(others: readonly Placed[], ofPatch: readonly Placed[]): List {
  const list: JsonValue[] = [];
  let at = 0;
  for (const placed of ofPatch) {
    // Only items that stood in the list before can say that another stood before them.
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
 * Checks that the items of a patch stand in the order which the patch sets, and that the order names all of them. Items that
 * delete do not count.
 *
 * @throws PatchError
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
    throw unfit(
      `The order in patch list:\n${goValue(patchList)}\n doesn't match ${SET_ELEMENT_ORDER} list:\n${goValue(order)}\n`,
    );
}

function sameKey(item: JsonValue, wanted: JsonValue, mergeKey: string): boolean {
  return mergeKey === ''
    ? item === wanted
    : equalJson(keyOfMap(asMap(item), mergeKey), keyOfMap(asMap(wanted), mergeKey));
}
