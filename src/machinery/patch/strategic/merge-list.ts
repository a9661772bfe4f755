import { ownMember, type JsonObject, type JsonValue, type Steps } from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { strategicErrors, internalFailure } from '../patch-error.js';
import { DELETE, directiveOf, MERGE, REPLACE } from './directives.js';
import type { FieldFacts } from './facts.js';
import { haveMaps, keyOfMap, NO_ITEMS, type List } from './items.js';
import type { Merger } from './merger.js';
import { inOrder } from './order.js';

/** Merges a patch's list into a list. Returns the patch's list when lists are replaced. */
export function* mergeList(old: List, changes: List, facts: FieldFacts, merger: Merger): Steps<List> {
  if (!facts.mergesList) return changes;
  if (old.length === 0 && changes.length === 0) return old;
  const { mergeKey, schema } = facts;
  if (!haveMaps(old, changes)) return inOrder([...new Set([...old, ...changes])], changes, old, mergeKey, false);
  if (mergeKey === '') throw noMergeKey(schema);
  const { remaining, items } = applyItemDirectives(old, changes, mergeKey);
  const merged = yield* mergeItems(remaining, items, mergeKey, schema.items, merger);
  return inOrder(merged, items, remaining, mergeKey, true);
}

/** Applies `$deleteFromPrimitiveList`. */
export function* deleteValues(old: List, unwanted: List, facts: FieldFacts | undefined, merger: Merger): Steps<List> {
  if (old.length === 0 && unwanted.length === 0) return old;
  if (haveMaps(old, unwanted)) {
    // For maps it acts like any other patch, as in Kubernetes.
    return facts === undefined ? unwanted : yield* mergeList(old, unwanted, { ...facts, mergesList: true }, merger);
  }
  const deleted = new Set(unwanted);
  return old.filter((value) => !deleted.has(value));
}

/** Applies `$patch` in list items. Returns the remaining list, and the items that still need merging. */
function applyItemDirectives(
  old: List,
  changes: List,
  mergeKey: string,
): { readonly remaining: List; readonly items: List } {
  let replaces = false;
  let deleted: Set<JsonValue> | undefined;
  const items: JsonValue[] = [];
  for (const change of changes as readonly JsonObject[]) {
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
  return { remaining: (old as readonly JsonObject[]).filter((item) => !isAmong(item, mergeKey, unwanted)), items };
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
  const positions = firstPositions(merged, mergeKey);
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
function firstPositions(items: readonly JsonObject[], mergeKey: string): Map<JsonValue, number> {
  const positions = new Map<JsonValue, number>();
  items.forEach((item, index) => {
    const key = ownMember(item, mergeKey);
    if (key !== undefined && !positions.has(key)) positions.set(key, index);
  });
  return positions;
}

/** Returns the error about a missing merge key. Kubernetes names the kind of the items' type: a struct or a map. */
function noMergeKey(schema: StructuralSchema): Error {
  return internalFailure(
    `cannot merge lists without merge key for ${schema.items?.properties === undefined ? 'map' : 'struct'}`,
  );
}
