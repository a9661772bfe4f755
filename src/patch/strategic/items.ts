import { ownMember } from '../../encoding/own-property.js';
import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../../meta/json.js';
import { goType, goValue } from '../go-value.js';
import { strategicErrors, unfit } from '../patch-error.js';

/** A list, as it stands in a document. */
export type List = readonly JsonValue[];

/** An empty list, wherever one is needed. */
export const NO_ITEMS: List = Object.freeze([]);

/**
 * True when the items of the lists are maps, false when they are scalars.
 *
 * @throws PatchError when they are of different types, or lists, or there are none
 */
export function haveMaps(...lists: readonly List[]): boolean {
  let first: JsonValue | undefined;
  for (const list of lists) {
    for (const item of list) {
      if (isArray(item)) throw strategicErrors.noListOfLists();
      if (first === undefined) first = item;
      else if (typeof first !== typeof item || item === null || goType(first) !== goType(item))
        throw differentTypes(lists);
    }
  }
  if (first === undefined) throw unfit('no elements in any of the given slices');
  if (first === null) throw differentTypes(lists);
  return typeof first === 'object';
}

const differentTypes = (lists: readonly List[]): Error =>
  unfit(`list element types are not identical: ${goValue(lists)}`);

/**
 * What tells an item from others: a map's merge key, or the scalar itself.
 *
 * @throws PatchError when a map is expected and is not there, or has no such member
 */
export function keyOfItem(item: JsonValue, mergeKey: string, maps: boolean): JsonValue {
  return maps ? keyOfMap(asMap(item), mergeKey) : item;
}

/** The merge key of a map. */
export function keyOfMap(item: JsonObject, mergeKey: string): JsonValue {
  const key = ownMember(item, mergeKey);
  if (key === undefined) throw strategicErrors.noMergeKey(item, mergeKey);
  return key;
}

/** The item, which must be a map. */
export function asMap(item: JsonValue): JsonObject {
  if (!isJsonObject(item)) throw strategicErrors.type({}, item);
  return item;
}

/** The value, which must be a list. */
export function asList(value: JsonValue): List {
  if (!isArray(value)) throw strategicErrors.type([], value);
  return value;
}

/** Where each key stands first in a list. */
export function positionsIn(list: List, mergeKey: string, maps: boolean): ReadonlyMap<JsonValue, number> {
  const positions = new Map<JsonValue, number>();
  for (let index = 0; index < list.length; index += 1) {
    const key = keyOfItem(list[index] as JsonValue, mergeKey, maps);
    if (!positions.has(key)) positions.set(key, index);
  }
  return positions;
}
