import {
  equalJson,
  ownMember,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { strategicErrors } from '../patch-error.js';
import type { Draft } from '../values.js';
import { DIRECTIVE, fieldOfParallelList, isDeletion, mayBeDirective, SET_ELEMENT_ORDER } from './directives.js';
import { factsOf } from './facts.js';
import { asList, asMap, haveMaps, ITEM_UNITS, keyOfMap, NO_ITEMS, type List } from './items.js';
import { mergeList } from './merge-list.js';
import type { Merger } from './merger.js';
import { checkOrder, inOrder } from './order.js';
import { takeValue } from './take.js';

/** Returns whether a patch sets the order of a list. */
export function hasElementOrder(patch: JsonObject): boolean {
  for (const key in patch) if (mayBeDirective(key) && key.startsWith(SET_ELEMENT_ORDER)) return true;
  return false;
}

/**
 * Merges the lists whose order a patch sets (`$setElementOrder`), and applies the order.
 *
 * @returns the names of the merged lists
 */
export function* mergeElementOrder(
  result: Draft,
  patch: JsonObject,
  schema: StructuralSchema | undefined,
  merger: Merger,
): Steps<ReadonlySet<string>> {
  const merge: OrderedMerge = { result, patch, schema, merger };
  const done = new Set<string>();
  for (const key in patch) {
    if (!mayBeDirective(key) || !key.startsWith(SET_ELEMENT_ORDER)) continue;
    const order = patch[key];
    if (order === undefined) continue;
    if (merger.mode === 'combine') keepOrder(result, key, order);
    const wanted = asList(order);
    const field = fieldOfParallelList(key, SET_ELEMENT_ORDER);
    if (yield* mergeInOrder(merge, field, wanted)) done.add(field);
  }
  return done;
}

/** The merge of a map whose lists have an order. */
interface OrderedMerge {
  readonly result: Draft;
  readonly patch: JsonObject;
  readonly schema: StructuralSchema | undefined;
  readonly merger: Merger;
}

/** Adds the order to the combined patch. Both patches may have an order if it is the same. */
function keepOrder(result: Draft, key: string, order: JsonValue): void {
  const other = result[key];
  if (other !== undefined && !equalJson(other, order)) throw strategicErrors.elementOrder();
  result[key] = order;
}

/** Merges a list and applies its order. Returns false when neither the map nor the patch has the list. */
function* mergeInOrder({ result, patch, schema, merger }: OrderedMerge, field: string, order: List): Steps<boolean> {
  const present = ownMember(result, field);
  const change = ownMember(patch, field);
  const old = present === undefined ? NO_ITEMS : asList(present);
  const changes = change === undefined ? NO_ITEMS : asList(change);
  const facts = factsOf(schema, field);
  const mergeKey = facts?.mergeKey ?? '';
  const { work } = merger;
  yield* checkOrder(work, changes, order, mergeKey);
  if (present === undefined && change === undefined) return false;
  const maps = yield* haveMaps(work, old, changes);
  let merged = old;
  if (present === undefined) merged = (yield* takeValue(work, changes, false)) as List;
  else if (change !== undefined) merged = facts === undefined ? changes : yield* mergeList(old, changes, facts, merger);
  const oldOrder = maps ? yield* orderAfterDeletions(work, old, changes, mergeKey) : old;
  setOwnMember(result, field, yield* inOrder(work, merged, { patchOrder: order, oldOrder }, mergeKey, maps));
  return true;
}

/**
 * Returns the old order by which new items are placed when the patch deletes others. Release 1.31 deletes and appends
 * in the old list itself, so new items take the free positions at its end.
 */
function* orderAfterDeletions(work: Work, old: List, changes: List, mergeKey: string): Steps<List> {
  const keyOf = (item: JsonValue): JsonValue => keyOfMap(asMap(item), mergeKey);
  const unwanted = new Set<JsonValue>();
  for (const change of changes) {
    if (work.spend(ITEM_UNITS)) yield;
    if (isDeletion(change)) unwanted.add(keyOf(change));
  }
  if (unwanted.size === 0) return old;
  const order: JsonValue[] = [];
  const present = new Set<JsonValue>();
  for (const item of old) {
    if (work.spend(ITEM_UNITS)) yield;
    const key = keyOf(item);
    if (unwanted.has(key)) continue;
    order.push(item);
    present.add(key);
  }
  for (const change of changes) {
    if (work.spend(ITEM_UNITS)) yield;
    if (order.length < old.length && asMap(change)[DIRECTIVE] === undefined && !present.has(keyOf(change)))
      order.push(change);
  }
  return order;
}
