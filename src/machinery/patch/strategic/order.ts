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
import {
  appendAll,
  equalJson,
  shownGoValue,
  sortedSteps,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { internalFailure } from '../patch-error.js';
import { DIRECTIVE, isDeletion, SET_ELEMENT_ORDER } from './directives.js';
import { asMap, ITEM_UNITS, keyOfItem, keyOfMap, positionsIn, type List } from './items.js';

/** An item with the positions of its key in the two orders; -1 when absent. */
interface Placed {
  readonly item: JsonValue;
  readonly inPatch: number;
  readonly before: number;
}

/**
 * Returns a merged list in its final order, in steps. `patchOrder` and `oldOrder` have items with the same keys, or
 * scalars.
 */
export function* inOrder(
  work: Work,
  merged: List,
  { patchOrder, oldOrder }: { readonly patchOrder: List; readonly oldOrder: List },
  mergeKey: string,
  maps: boolean,
): Steps<List> {
  const patchPositions = yield* positionsIn(work, patchOrder, mergeKey, maps);
  const oldPositions = yield* positionsIn(work, oldOrder, mergeKey, maps);
  const ofPatch: Placed[] = [];
  const others: Placed[] = [];
  for (const item of merged) {
    if (work.spend(ITEM_UNITS)) yield;
    const key = keyOfItem(item, mergeKey, maps);
    const placed = { item, inPatch: patchPositions.get(key) ?? -1, before: oldPositions.get(key) ?? -1 };
    (placed.inPatch < 0 ? others : ofPatch).push(placed);
  }
  return yield* interleave(work, yield* sorted(work, others, 'before'), yield* sorted(work, ofPatch, 'inPatch'));
}

/** Sorts items by a position; items that delete others come last. The sort is stable. */
function* sorted(work: Work, items: Placed[], by: 'before' | 'inPatch'): Steps<readonly Placed[]> {
  const kept: Placed[] = [];
  const deletions: Placed[] = [];
  for (const placed of yield* sortedSteps(items, (a, b) => a[by] - b[by], work)) {
    if (work.spend(ITEM_UNITS)) yield;
    (isDeletion(placed.item) ? deletions : kept).push(placed);
  }
  appendAll(kept, deletions);
  return kept;
}

function* interleave(work: Work, others: readonly Placed[], ofPatch: readonly Placed[]): Steps<List> {
  const list: JsonValue[] = [];
  let at = 0;
  for (const placed of ofPatch) {
    if (work.spend(ITEM_UNITS)) yield;
    // Only items of the old list have an old position to compare with.
    for (
      let other = others[at];
      other !== undefined && other.before >= 0 && other.before < placed.before;
      other = others[at]
    ) {
      if (work.spend(ITEM_UNITS)) yield;
      list.push(other.item);
      at += 1;
    }
    list.push(placed.item);
  }
  for (; at < others.length; at += 1) {
    if (work.spend(ITEM_UNITS)) yield;
    list.push((others[at] as Placed).item);
  }
  return list;
}

/**
 * Checks, in steps, that the items of a patch are in the order that the patch sets, and that the order names all of
 * them. Items that delete others do not count.
 *
 * @throws PatchError when an item is not in the order
 */
export function* checkOrder(work: Work, patchList: List, order: List, mergeKey: string): Steps<void> {
  if (patchList.length === 0 || order.length === 0) return;
  const items = mergeKey === '' ? patchList : yield* withoutDirectives(work, patchList);
  let at = 0;
  for (const wanted of order) {
    if (work.spend(ITEM_UNITS)) yield;
    const item = items[at];
    if (item === undefined) return;
    if (sameKey(item, wanted, mergeKey)) at += 1;
  }
  if (at < items.length)
    throw internalFailure(
      `The order in patch list:\n${shownGoValue(patchList)}\n doesn't match ${SET_ELEMENT_ORDER} list:\n${shownGoValue(order)}\n`,
    );
}

function* withoutDirectives(work: Work, list: List): Steps<List> {
  const items: JsonValue[] = [];
  for (const item of list) {
    if (work.spend(ITEM_UNITS)) yield;
    if (asMap(item)[DIRECTIVE] === undefined) items.push(item);
  }
  return items;
}

function sameKey(item: JsonValue, wanted: JsonValue, mergeKey: string): boolean {
  return mergeKey === ''
    ? item === wanted
    : equalJson(keyOfMap(asMap(item), mergeKey), keyOfMap(asMap(wanted), mergeKey));
}
