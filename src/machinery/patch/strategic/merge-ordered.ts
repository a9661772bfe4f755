import {
  equalJson,
  ownMember,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type Steps,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { strategicErrors } from '../patch-error.js';
import type { Draft } from '../values.js';
import { DIRECTIVE, fieldOfParallelList, isDeletion, mayBeDirective, SET_ELEMENT_ORDER } from './directives.js';
import { factsOf } from './facts.js';
import { asList, asMap, haveMaps, keyOfMap, NO_ITEMS, type List } from './items.js';
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
  checkOrder(changes, order, mergeKey);
  if (present === undefined && change === undefined) return false;
  const maps = haveMaps(old, changes);
  let merged = old;
  if (present === undefined) merged = takeValue(changes, false) as List;
  else if (change !== undefined) merged = facts === undefined ? changes : yield* mergeList(old, changes, facts, merger);
  setOwnMember(
    result,
    field,
    inOrder(merged, order, maps ? orderAfterDeletions(old, changes, mergeKey) : old, mergeKey, maps),
  );
  return true;
}

/**
 * Returns the old order by which new items are placed when the patch deletes others. Release 1.31 deletes and appends
 * in the old list itself, so new items take the free positions at its end.
 */
function orderAfterDeletions(old: List, changes: List, mergeKey: string): List {
  const unwanted = new Set(changes.filter(isDeletion).map((change) => keyOfMap(asMap(change), mergeKey)));
  if (unwanted.size === 0) return old;
  const remaining = old.filter((item) => !unwanted.has(keyOfMap(asMap(item), mergeKey)));
  const present = new Set(remaining.map((item) => keyOfMap(asMap(item), mergeKey)));
  const added = changes.filter(
    (change) => asMap(change)[DIRECTIVE] === undefined && !present.has(keyOfMap(asMap(change), mergeKey)),
  );
  return [...remaining, ...added.slice(0, old.length - remaining.length)];
}
