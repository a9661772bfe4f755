import {
  goTypeName,
  goValue,
  isArray,
  isJsonObject,
  ownMember,
  type JsonObject,
  type JsonValue,
} from '../../../foundation/index.js';
import { strategicErrors, internalFailure } from '../patch-error.js';

/** A list of a document. */
export type List = readonly JsonValue[];

/** The empty list. */
export const NO_ITEMS: List = Object.freeze([]);

/**
 * Returns true when the items of the lists are maps, false when they are scalars.
 *
 * @throws PatchError when the items have different types, are lists, or do not exist
 */
export function haveMaps(...lists: readonly List[]): boolean {
  let first: JsonValue | undefined;
  for (const list of lists) {
    for (const item of list) {
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
  internalFailure(`list element types are not identical: ${goValue(lists)}`);

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
export function positionsIn(list: List, mergeKey: string, maps: boolean): ReadonlyMap<JsonValue, number> {
  const positions = new Map<JsonValue, number>();
  for (let index = 0; index < list.length; index += 1) {
    const key = keyOfItem(list[index] as JsonValue, mergeKey, maps);
    if (!positions.has(key)) positions.set(key, index);
  }
  return positions;
}
