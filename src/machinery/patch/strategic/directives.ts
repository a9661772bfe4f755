/**
 * The directives of a strategic merge patch.
 *
 * @module
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../foundation/index.js';
import { strategicErrors } from '../patch-error.js';

/** The directive for its map or list item: `replace` or `delete`. */
export const DIRECTIVE = '$patch';
/** Removes the item, or empties the map. */
export const DELETE = 'delete';
/** Replaces the map, or the list, with that of the patch. */
export const REPLACE = 'replace';
/** A known directive, refused as in Kubernetes. */
export const MERGE = 'merge';
/** Names the only members that a map may keep. */
export const RETAIN_KEYS = '$retainKeys';
/** With `/` and the name of a list of scalars: the values to remove from it. */
export const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList';
/** With `/` and the name of a list: the order of its items. */
export const SET_ELEMENT_ORDER = '$setElementOrder';

const DOLLAR = 0x24;

/** Returns true for a key that may be a directive; a cheap test for the common case. */
export function mayBeDirective(key: string): boolean {
  return key.charCodeAt(0) === DOLLAR;
}

/** Returns true for the key of a directive that applies to a list beside it. */
export function isParallelList(key: string): boolean {
  return key.startsWith(SET_ELEMENT_ORDER) || key.startsWith(DELETE_FROM_PRIMITIVE_LIST);
}

/** Returns the name of the list that a directive applies to: `finalizers` for `$deleteFromPrimitiveList/finalizers`. */
export function fieldOfParallelList(
  key: string,
  prefix: typeof SET_ELEMENT_ORDER | typeof DELETE_FROM_PRIMITIVE_LIST,
): string {
  if (key.charCodeAt(prefix.length) === 0x2f) return key.slice(prefix.length + 1);
  throw prefix === SET_ELEMENT_ORDER ? strategicErrors.elementOrder() : strategicErrors.primitiveList();
}

/** Returns the directive of a map or list item. */
export function directiveOf(map: JsonObject): JsonValue | undefined {
  return map[DIRECTIVE];
}

/** Returns true for a list item that deletes the item with its key. */
export function isDeletion(item: JsonValue): boolean {
  return isJsonObject(item) && item[DIRECTIVE] === DELETE;
}

/** Returns an item that deletes the item with that key. */
export function deletion(mergeKey: string, value: JsonValue): JsonObject {
  return { [DIRECTIVE]: DELETE, [mergeKey]: value };
}
