import { equalJson, isArray, type JsonObject, type JsonValue } from '../../../foundation/index.js';
import { fieldElement, type PathElement } from '../fieldpath/element.js';
import { EMPTY, isEmpty, type FieldSet } from '../fieldpath/fieldset.js';
import type { Path } from '../fieldpath/paths.js';
import { itemElement } from './item.js';
import { hasElements, isLeaf } from './same-node.js';
import { shapeOf, type Field, type ListType, type MapType, type Type } from './type.js';
import { isUntracked, untrackedBelow } from './untracked.js';
import { asList, asMap, isEmptyMap } from './value.js';

/** Maximum number of items of a list that are compared; the elements of more are compared with each other too often. */
const MAX_ITEMS = 16;

/**
 * Returns true when a set is that of `createdOwnedFields`. Cheaper than making the set again, but not exact: for some
 * objects, such as those with long lists or an item twice, it returns false in any case.
 *
 * @throws TypedError for items without valid keys or values
 */
export function createsExactly(set: FieldSet, object: JsonObject, type: Type): boolean {
  return type.map !== undefined && createsMembers(isEmpty(set) ? undefined : set, object, type.map, []);
}

/** Compares a node, which is not a member, with the fields that a map adds to the zero value of its type. */
function createsMembers(
  node: FieldSet | undefined,
  map: JsonObject,
  { fields, element: elementType, zero }: MapType,
  path: Path | undefined,
): boolean {
  const known = node ?? EMPTY;
  let created = 0;
  for (const name in map) {
    const value = map[name];
    if (value === undefined || (path !== undefined && isUntracked(path, name))) continue;
    const field = fields.get(name);
    const type = field?.type ?? elementType;
    if (type === undefined) return false;
    const childNode = known[field?.element ?? fieldElement(name)];
    const equal =
      field?.always === true
        ? createsOverZero(childNode, value, field, zero[name] ?? null, untrackedBelow(path, name))
        : addsExactly(childNode, value, type);
    if (!equal) return false;
    if (childNode !== undefined) created += 1;
  }
  return created === 0 ? node === undefined : hasElements(known, created, false);
}

function createsOverZero(
  node: FieldSet | undefined,
  value: JsonValue,
  field: Field,
  zero: JsonValue,
  path: Path | undefined,
): boolean {
  const { map, list } = field.type;
  if (map !== undefined && !map.atomic) {
    const valueMap = asMap(value);
    if (valueMap !== undefined && !isEmptyMap(valueMap)) return createsMembers(node, valueMap, map, path);
    if (!isEmptyMap(asMap(zero))) return node === undefined;
  } else if (list !== undefined && !list.atomic && isArray(value) && value.length > 0)
    return node !== undefined && addsItems(node, value, list, false);
  return equalJson(value, zero) ? node === undefined : isLeaf(node);
}

/** Compares a node with all paths of a new value. */
function addsExactly(node: FieldSet | undefined, value: JsonValue, type: Type): boolean {
  if (node === undefined) return false;
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return isLeaf(node);
  return shape === 'map' ? addsMembers(node, value, type.map as MapType) : addsList(node, value, type.list as ListType);
}

function addsMembers(node: FieldSet, value: JsonValue, { atomic, fields, element: elementType }: MapType): boolean {
  const map = asMap(value);
  if (atomic || map === undefined) return isLeaf(node);
  let added = 0;
  for (const name in map) {
    const child = map[name];
    if (child === undefined) continue;
    const field = fields.get(name);
    const type = field?.type ?? elementType;
    if (type === undefined || !addsExactly(node[field?.element ?? fieldElement(name)], child, type)) return false;
    added += 1;
  }
  return added === 0 ? isLeaf(node) : hasElements(node, added, true);
}

function addsList(node: FieldSet, value: JsonValue, type: ListType): boolean {
  const list = asList(value);
  return type.atomic || list === undefined || list.length === 0 ? isLeaf(node) : addsItems(node, list, type, true);
}

function addsItems(node: FieldSet, list: readonly JsonValue[], type: ListType, member: boolean): boolean {
  if (list.length > MAX_ITEMS) return false;
  const elements: PathElement[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index] as JsonValue;
    const element = itemElement(item, type);
    // An item that occurs twice is owned as a whole.
    if (elements.includes(element) || !addsExactly(node[element], item, type.element)) return false;
    elements.push(element);
  }
  return hasElements(node, list.length, member);
}
