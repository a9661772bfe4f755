/**
 * The words of a strategic merge patch that are no fields.
 *
 * @module
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../meta/json.js';
import { strategicErrors } from '../patch-error.js';

/** Says what is done with the map or list item that it stands in: `replace` or `delete`. */
export const DIRECTIVE = '$patch';
/** Removes the item, or empties the map. */
export const DELETE = 'delete';
/** Takes the patch's map, or the patch's other items, in place of what is there. */
export const REPLACE = 'replace';
/** Known, and refused as production does. */
export const MERGE = 'merge';
/** Names the only members that a map may keep. */
export const RETAIN_KEYS = '$retainKeys';
/** With `/` and the name of a list of scalars: the values to take out of it. */
export const DELETE_FROM_PRIMITIVE_LIST = '$deleteFromPrimitiveList';
/** With `/` and the name of a list: the order of its items. */
export const SET_ELEMENT_ORDER = '$setElementOrder';

const DOLLAR = 0x24;

/** True for a key that a directive may begin; a cheap test for the many that none does. */
export function mayBeDirective(key: string): boolean {
  return key.charCodeAt(0) === DOLLAR;
}

/** Keys of lists that stand beside the list which they are about. */
export function isParallelList(key: string): boolean {
  return key.startsWith(SET_ELEMENT_ORDER) || key.startsWith(DELETE_FROM_PRIMITIVE_LIST);
}

/** `finalizers` of `$deleteFromPrimitiveList/finalizers`. */
export function fieldOfParallelList(
  key: string,
  prefix: typeof SET_ELEMENT_ORDER | typeof DELETE_FROM_PRIMITIVE_LIST,
): string {
  if (key.charCodeAt(prefix.length) === 0x2f) return key.slice(prefix.length + 1);
  throw prefix === SET_ELEMENT_ORDER ? strategicErrors.elementOrder() : strategicErrors.primitiveList();
}

/** The directive of a map or list item. */
export function directiveOf(map: JsonObject): JsonValue | undefined {
  return map[DIRECTIVE];
}

/** True for a list item that says that an item with its key shall go. */
export function isDeletion(item: JsonValue): boolean {
  return isJsonObject(item) && item[DIRECTIVE] === DELETE;
}

/** An item that deletes the one with that key. */
export function deletion(mergeKey: string, value: JsonValue): JsonObject {
  return { [DIRECTIVE]: DELETE, [mergeKey]: value };
}
