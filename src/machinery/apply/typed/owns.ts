import { isArray, type JsonObject, type JsonValue } from '../../../foundation/index.js';
import { fieldElement } from '../fieldpath/element.js';
import { EMPTY, type FieldSet } from '../fieldpath/fieldset.js';
import type { Path } from '../fieldpath/paths.js';
import { itemElement } from './item.js';
import { hasElements, isLeaf } from './same-node.js';
import { shapeOf, type ListType, type MapType, type Type } from './type.js';
import { isUntracked, untrackedBelow } from './untracked.js';
import { asList, asMap, isEmptyMap } from './value.js';

/**
 * Returns true when a set has exactly the fields that the applier of an intent owns: those of `toFieldSet` without
 * fields that have no owner. The intent must match its type, without duplicate items.
 */
export function ownsExactly(set: FieldSet, intent: JsonObject, type: Type): boolean {
  return type.map !== undefined && ownsMembers(set, intent, type.map, false, []);
}

/**
 * Compares a node with the node of a value.
 *
 * @param node the node of the set; undefined when it has none
 * @param member true when the path that leads to the value is a member, whatever the value contains
 * @param path the path of the value, if fields below it may have no owner
 */
function ownsValue(
  node: FieldSet | undefined,
  value: JsonValue,
  type: Type,
  member: boolean,
  path: Path | undefined,
): boolean {
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return isLeaf(node);
  if (shape === 'list') return ownsItems(node, value, type.list as ListType, member);
  const map = type.map as MapType;
  return map.atomic ? isLeaf(node) : ownsMembers(node, asMap(value) ?? NO_MEMBERS, map, member, path);
}

const NO_MEMBERS: JsonObject = Object.freeze({});

function ownsMembers(
  node: FieldSet | undefined,
  map: JsonObject,
  { fields, element: elementType }: MapType,
  member: boolean,
  path: Path | undefined,
): boolean {
  const known = node ?? EMPTY;
  let owned = 0;
  for (const name in map) {
    const child = map[name];
    if (child === undefined || (path !== undefined && isUntracked(path, name))) continue;
    const field = fields.get(name);
    const type = field?.type ?? elementType;
    if (type === undefined) return false;
    const childNode = known[field?.element ?? fieldElement(name)];
    // As for `toFieldSet`: entries of maps, nulls and empty maps are members.
    const isMember =
      field === undefined || child === null || (typeof child === 'object' && !isArray(child) && isEmptyMap(child));
    if (!ownsValue(childNode, child, type, isMember, untrackedBelow(path, name))) return false;
    if (childNode !== undefined) owned += 1;
  }
  return owned === 0 ? isEmptyNode(node, member) : hasElements(known, owned, member);
}

function ownsItems(node: FieldSet | undefined, value: JsonValue, type: ListType, member: boolean): boolean {
  if (type.atomic) return isLeaf(node);
  const list = asList(value);
  if (list === undefined || list.length === 0) return isEmptyNode(node, member);
  if (node === undefined) return false;
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index] as JsonValue;
    if (!ownsValue(node[itemElement(item, type)], item, type.element, true, undefined)) return false;
  }
  return hasElements(node, list.length, member);
}

/** Compares a node with that of a value without fields of its own. */
const isEmptyNode = (node: FieldSet | undefined, member: boolean): boolean =>
  member ? isLeaf(node) : node === undefined;
