import { isSteps, setOwnMember, type JsonValue, type MaybeSteps, type Steps } from '../../../foundation/index.js';
import { fieldElement } from '../fieldpath/element.js';
import { below, isEmpty, isMember, type FieldSet } from '../fieldpath/fieldset.js';
import { isMemberIn } from '../fieldpath/node-in-steps.js';
import type { Walk } from '../fieldpath/walk.js';
import { itemElement } from './item.js';
import { shapeOf, UNSTRUCTURED, type ListType, type MapType, type Type } from './type.js';
import { asList, asMap, member } from './value.js';

/**
 * Returns the value without the fields and items of a set. A container that becomes empty is null.
 */
export function removeItems(value: JsonValue, set: FieldSet, type: Type): JsonValue {
  if (isEmpty(set)) return value;
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return value;
  const { atomic } = shape === 'map' ? (type.map as MapType) : (type.list as ListType);
  // An atomic value is removed as a whole.
  if (atomic) return null;
  return shape === 'map'
    ? removeMembers(value, set, type.map as MapType)
    : removeFromList(value, set, type.list as ListType);
}

/** Units of work to keep or remove a member or an item. */
const NODE_UNITS = 8;

/** Does the same as {@link removeItems}, in steps. */
export function removeInSteps(value: JsonValue, set: FieldSet, type: Type, walk: Walk): MaybeSteps<JsonValue> {
  if (walk.keysOf(set).length === 0) return value;
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return value;
  if ((shape === 'map' ? (type.map as MapType) : (type.list as ListType)).atomic) return null;
  return shape === 'map'
    ? removeMembersInSteps(value, set, type.map as MapType, walk)
    : removeFromListInSteps(value, set, type.list as ListType, walk);
}

function* removeMembersInSteps(value: JsonValue, set: FieldSet, type: MapType, walk: Walk): Steps<JsonValue> {
  const map = asMap(value);
  if (map === undefined) return null;
  const out: { [key: string]: JsonValue | undefined } = {};
  const names: string[] = [];
  walk.reserve(walk.keysOf(map).length);
  for (const name of walk.keysOf(map)) {
    const child = map[name];
    if (child === undefined) continue;
    if (walk.spend(NODE_UNITS)) yield;
    const field = type.fields.get(name);
    const node = set[field?.element ?? fieldElement(name)];
    if (node !== undefined && isMemberIn(walk, node)) continue;
    const childType = field?.type ?? type.element ?? UNSTRUCTURED;
    const made = node === undefined ? child : removeInSteps(child, node, childType, walk);
    setOwnMember(out, name, isSteps(made) ? yield* made : made);
    names.push(name);
  }
  walk.note(out, names);
  return names.length > 0 ? out : null;
}

function* removeFromListInSteps(value: JsonValue, set: FieldSet, type: ListType, walk: Walk): Steps<JsonValue> {
  const out: JsonValue[] = [];
  for (const item of asList(value) ?? []) {
    if (walk.spend(NODE_UNITS)) yield;
    const node = set[itemElement(item, type)];
    if (node === undefined) out.push(item);
    else if (!isMemberIn(walk, node)) {
      const made = removeInSteps(item, node, type.element, walk);
      out.push(isSteps(made) ? yield* made : made);
    }
  }
  return out.length > 0 ? out : null;
}

function removeMembers(value: JsonValue, set: FieldSet, type: MapType): JsonValue {
  const map = asMap(value);
  if (map === undefined) return null;
  const out: { [key: string]: JsonValue | undefined } = {};
  let hasMembers = false;
  for (const name in map) {
    const child = member(map, name);
    if (child === undefined) continue;
    const field = type.fields.get(name);
    const element = field?.element ?? fieldElement(name);
    const node = set[element];
    if (node !== undefined && isMember(node)) continue;
    setOwnMember(
      out,
      name,
      node === undefined ? child : removeItems(child, node, field?.type ?? type.element ?? UNSTRUCTURED),
    );
    hasMembers = true;
  }
  return hasMembers ? out : null;
}

function removeFromList(value: JsonValue, set: FieldSet, type: ListType): JsonValue {
  const out: JsonValue[] = [];
  for (const item of asList(value) ?? []) {
    const node = set[itemElement(item, type)];
    if (node === undefined) out.push(item);
    else if (!isMember(node)) out.push(removeItems(item, node, type.element));
  }
  return out.length > 0 ? out : null;
}

/**
 * Returns only the fields and items of a set. A member keeps the fields that the set has below it. A container that is
 * a member without members below it becomes empty; an atomic container stays whole.
 */
export function extractItems(value: JsonValue, set: FieldSet, type: Type): JsonValue {
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return value;
  if (shape === 'map') return (type.map as MapType).atomic ? value : extractMembers(value, set, type.map as MapType);
  return (type.list as ListType).atomic ? value : extractFromList(value, set, type.list as ListType);
}

function extractMembers(value: JsonValue, set: FieldSet, type: MapType): JsonValue {
  const map = asMap(value);
  if (map === undefined) return value;
  const out: { [key: string]: JsonValue | undefined } = {};
  for (const name in map) {
    const child = member(map, name);
    const field = type.fields.get(name);
    const element = field?.element ?? fieldElement(name);
    if (child === undefined || set[element] === undefined) continue;
    setOwnMember(out, name, extractItems(child, below(set, element), field?.type ?? type.element ?? UNSTRUCTURED));
  }
  return out;
}

function extractFromList(value: JsonValue, set: FieldSet, type: ListType): JsonValue {
  const list = asList(value);
  if (list === undefined) return value;
  const out: JsonValue[] = [];
  for (const item of list) {
    const element = itemElement(item, type);
    if (set[element] !== undefined) out.push(extractItems(item, below(set, element), type.element));
  }
  return out;
}
