import {
  goTypeName,
  shownGoValue,
  isArray,
  isJsonObject,
  ownMember,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { strategicErrors, internalFailure } from '../patch-error.js';

/** A list of a document. */
export type List = readonly JsonValue[];

/** The empty list. */
export const NO_ITEMS: List = Object.freeze([]);

/** Units of work to look at an item. */
export const ITEM_UNITS = 2;

/**
 * Returns true when the items of the lists are maps, false when they are scalars.
 *
 * @throws PatchError when the items have different types, are lists, or do not exist
 */
export function* haveMaps(work: Work, ...lists: readonly List[]): Steps<boolean> {
  let first: JsonValue | undefined;
  for (const list of lists) {
    for (const item of list) {
      if (work.spend(ITEM_UNITS)) yield;
      if (isArray(item)) throw strategicErrors.noListOfLists();
      if (first === undefined) first = item;
      else if (item === null || goTypeName(first) !== goTypeName(item)) throw differentTypes(lists);
    }
  }
  if (first === undefined) throw internalFailure('no elements in any of the given slices');
  if (first === null) throw differentTypes(lists);
  return typeof first === 'object';
}

const differentTypes = (lists: readonly List[]): Error =>
  internalFailure(`list element types are not identical: ${shownGoValue(lists)}`);

/**
 * Returns the value that identifies an item: a map's merge key, or the scalar itself.
 *
 * @throws PatchError when the item is not the expected map, or has no merge key
 */
export function keyOfItem(item: JsonValue, mergeKey: string, maps: boolean): JsonValue {
  return maps ? keyOfMap(asMap(item), mergeKey) : item;
}

/** Returns the value of a map's merge key. */
export function keyOfMap(item: JsonObject, mergeKey: string): JsonValue {
  const key = ownMember(item, mergeKey);
  if (key === undefined) throw strategicErrors.noMergeKey(item, mergeKey);
  return key;
}

/** Returns the item, which must be a map. */
export function asMap(item: JsonValue): JsonObject {
  if (!isJsonObject(item)) throw strategicErrors.type({}, item);
  return item;
}

/** Returns the value, which must be a list. */
export function asList(value: JsonValue): List {
  if (!isArray(value)) throw strategicErrors.type([], value);
  return value;
}

/** Returns the first index of each key in a list. */
export function* positionsIn(
  work: Work,
  list: List,
  mergeKey: string,
  maps: boolean,
): Steps<ReadonlyMap<JsonValue, number>> {
  const positions = new Map<JsonValue, number>();
  for (let index = 0; index < list.length; index += 1) {
    if (work.spend(ITEM_UNITS)) yield;
    const key = keyOfItem(list[index] as JsonValue, mergeKey, maps);
    if (!positions.has(key)) positions.set(key, index);
  }
  return positions;
}
