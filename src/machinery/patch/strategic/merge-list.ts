import { ownMember, type JsonObject, type JsonValue, type Steps, type Work } from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { strategicErrors, internalFailure } from '../patch-error.js';
import { DELETE, directiveOf, MERGE, REPLACE } from './directives.js';
import type { FieldFacts } from './facts.js';
import { haveMaps, ITEM_UNITS, keyOfMap, NO_ITEMS, type List } from './items.js';
import type { Merger } from './merger.js';
import { inOrder } from './order.js';

/** Merges a patch's list into a list. Returns the patch's list when lists are replaced. */
export function* mergeList(old: List, changes: List, facts: FieldFacts, merger: Merger): Steps<List> {
  if (!facts.mergesList) return changes;
  if (old.length === 0 && changes.length === 0) return old;
  const { mergeKey, schema } = facts;
  const { work } = merger;
  if (!(yield* haveMaps(work, old, changes)))
    return yield* inOrder(
      work,
      yield* union(work, old, changes),
      { patchOrder: changes, oldOrder: old },
      mergeKey,
      false,
    );
  if (mergeKey === '') throw noMergeKey(schema);
  const { remaining, items } = yield* applyItemDirectives(work, old, changes, mergeKey);
  const merged = yield* mergeItems(remaining, items, mergeKey, schema.items, merger);
  return yield* inOrder(work, merged, { patchOrder: items, oldOrder: remaining }, mergeKey, true);
}

/** Returns the scalars of two lists, each once. */
function* union(work: Work, old: List, changes: List): Steps<List> {
  const values = new Set<JsonValue>();
  for (const list of [old, changes]) {
    for (const value of list) {
      if (work.spend(ITEM_UNITS)) yield;
      values.add(value);
    }
  }
  return [...values];
}

/** Applies `$deleteFromPrimitiveList`. */
export function* deleteValues(old: List, unwanted: List, facts: FieldFacts | undefined, merger: Merger): Steps<List> {
  if (old.length === 0 && unwanted.length === 0) return old;
  const { work } = merger;
  if (yield* haveMaps(work, old, unwanted)) {
    // For maps it acts like any other patch, as in Kubernetes.
    return facts === undefined ? unwanted : yield* mergeList(old, unwanted, { ...facts, mergesList: true }, merger);
  }
  const deleted = new Set<JsonValue>();
  for (const value of unwanted) {
    if (work.spend(ITEM_UNITS)) yield;
    deleted.add(value);
  }
  return yield* without(work, old, (value) => deleted.has(value));
}

/** Applies `$patch` in list items. Returns the remaining list, and the items that still need merging. */
function* applyItemDirectives(
  work: Work,
  old: List,
  changes: List,
  mergeKey: string,
): Steps<{ readonly remaining: List; readonly items: List }> {
  let replaces = false;
  let deleted: Set<JsonValue> | undefined;
  const items: JsonValue[] = [];
  for (const change of changes as readonly JsonObject[]) {
    if (work.spend(ITEM_UNITS)) yield;
    const directive = directiveOf(change);
    if (directive === undefined) items.push(change);
    else if (directive === DELETE) (deleted ??= new Set()).add(keyOfMap(change, mergeKey));
    else if (directive === REPLACE) replaces = true;
    else if (directive === MERGE) throw internalFailure('merging lists cannot yet be specified in the patch');
    else throw strategicErrors.patchType(directive, change);
  }
  if (replaces) return { remaining: items, items: NO_ITEMS };
  if (deleted === undefined) return { remaining: old, items };
  const unwanted = deleted;
  return { remaining: yield* without(work, old, (item) => isAmong(item as JsonObject, mergeKey, unwanted)), items };
}

/** Returns the items that are not to be removed. */
function* without(work: Work, list: List, isUnwanted: (item: JsonValue) => boolean): Steps<List> {
  const kept: JsonValue[] = [];
  for (const item of list) {
    if (work.spend(ITEM_UNITS)) yield;
    if (!isUnwanted(item)) kept.push(item);
  }
  return kept;
}

function isAmong(item: JsonObject, mergeKey: string, keys: ReadonlySet<JsonValue>): boolean {
  const key = ownMember(item, mergeKey);
  return key !== undefined && keys.has(key);
}

/** Units of work of one item. */
const UNITS_PER_ITEM = 4;

/** Merges each item into the item with its key, or appends it. */
function* mergeItems(
  old: List,
  changes: List,
  mergeKey: string,
  schema: StructuralSchema | undefined,
  merger: Merger,
): Steps<List> {
  const merged = [...old] as JsonObject[];
  const positions = yield* firstPositions(merger.work, merged, mergeKey);
  const changed = new Set<JsonValue>();
  for (const change of changes as readonly JsonObject[]) {
    const key = keyOfMap(change, mergeKey);
    const position = positions.get(key);
    if (position === undefined) positions.set(key, merged.push(change) - 1);
    else {
      const item = merged[position] as JsonObject;
      if (changed.has(key)) merger.countRepeatedMerge(item);
      merged[position] = yield* merger.mergeMap(item, change, schema);
    }
    changed.add(key);
    if (merger.work.spend(UNITS_PER_ITEM)) yield;
  }
  return merged;
}

/** Returns the first index of each key. Skips items without the key. */
function* firstPositions(work: Work, items: readonly JsonObject[], mergeKey: string): Steps<Map<JsonValue, number>> {
  const positions = new Map<JsonValue, number>();
  for (const [index, item] of items.entries()) {
    if (work.spend(ITEM_UNITS)) yield;
    const key = ownMember(item, mergeKey);
    if (key !== undefined && !positions.has(key)) positions.set(key, index);
  }
  return positions;
}

/** Returns the error about a missing merge key. Kubernetes names the kind of the items' type: a struct or a map. */
function noMergeKey(schema: StructuralSchema): Error {
  return internalFailure(
    `cannot merge lists without merge key for ${schema.items?.properties === undefined ? 'map' : 'struct'}`,
  );
}
