/**
 * The fields that an applier owns of its intent, in no particular order, and the fields that a new value adds, in
 * Kubernetes order.
 *
 * @module
 */
import {
  isArray,
  isSteps,
  resultOf,
  sortedKeys,
  type JsonValue,
  type MaybeSteps,
  type Steps,
} from '../../../foundation/index.js';
import { fieldElement, SELF, type PathElement } from '../fieldpath/element.js';
import { EMPTY, inOrder, LEAF, newNode, type FieldSet, type MutableFieldSet } from '../fieldpath/fieldset.js';
import { inOrderInSteps } from '../fieldpath/set-steps.js';
import { sortedKeysInSteps } from '../fieldpath/sorted-keys.js';
import type { Walk } from '../fieldpath/walk.js';
import { undeclaredField } from './errors.js';
import { itemElement } from './item.js';
import { shapeOf, type ListType, type MapType, type Type } from './type.js';
import { asList, asMap, isEmptyMap } from './value.js';

/**
 * Returns the fields of a value: its leaves (scalars, atomic maps and lists, nulls, empty maps), the items of its
 * lists, and the entries of its maps. Containers that are declared fields are not members: the applier of a field does
 * not own the struct around it.
 *
 * @throws TypedError when the value has undeclared fields, or items without valid keys or values
 */
export function toFieldSet(value: JsonValue, type: Type): FieldSet {
  return owned(value, type, false) ?? EMPTY;
}

/** @param member true when the path that leads to the value is a member, whatever the value contains */
function owned(value: JsonValue, type: Type, member: boolean): FieldSet | undefined {
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return LEAF;
  return shape === 'map'
    ? ownedOfMap(value, type.map as MapType, member)
    : ownedOfList(value, type.list as ListType, member);
}

function ownedOfMap(value: JsonValue, type: MapType, member: boolean): FieldSet | undefined {
  if (type.atomic) return LEAF;
  const map = asMap(value);
  let out: MutableFieldSet | undefined;
  const { fields } = type;
  for (const name in map) {
    const child = map[name];
    if (child === undefined) continue;
    const field = fields.get(name);
    const childType = field?.type ?? type.element ?? undeclaredField(name);
    const isMember =
      field === undefined || child === null || (typeof child === 'object' && !isArray(child) && isEmptyMap(child));
    const node = owned(child, childType, isMember);
    if (node !== undefined) (out ??= newNode(member))[field?.element ?? fieldElement(name)] = node;
  }
  return out ?? (member ? LEAF : undefined);
}

function ownedOfList(value: JsonValue, type: ListType, member: boolean): FieldSet | undefined {
  if (type.atomic) return LEAF;
  const list = asList(value);
  if (list === undefined || list.length === 0) return member ? LEAF : undefined;
  const out = newNode(member);
  for (const item of list) {
    const element = itemElement(item, type);
    // An item that occurs twice is owned as a whole, without the fields inside.
    out[element] = out[element] === undefined ? (owned(item, type.element, true) ?? LEAF) : LEAF;
  }
  return out;
}

/**
 * Returns the fields that a new value adds: every path in it, including containers. An update owns the fields that it
 * changes, so it owns `data` as well as `data.key`.
 *
 * @throws TypedError when the value has undeclared fields, or items without valid keys or values
 */
export function addedNode(value: JsonValue, type: Type): FieldSet {
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return LEAF;
  return shape === 'map' ? addedMap(value, type.map as MapType) : addedList(value, type.list as ListType);
}

function addedMap(value: JsonValue, type: MapType): FieldSet {
  const map = asMap(value);
  if (type.atomic || map === undefined) return LEAF;
  const { fields } = type;
  let out: MutableFieldSet | undefined;
  for (const name of sortedKeys(map)) {
    const child = map[name];
    if (child === undefined) continue;
    const field = fields.get(name);
    const childType = field?.type ?? type.element ?? undeclaredField(name);
    (out ??= newNode(true))[field?.element ?? fieldElement(name)] = addedNode(child, childType);
  }
  return out ?? LEAF;
}

function addedList(value: JsonValue, type: ListType): FieldSet {
  const list = asList(value);
  if (type.atomic || list === undefined || list.length === 0) return LEAF;
  const out = newNode(true);
  for (const item of list) {
    const element = itemElement(item, type);
    out[element] = out[element] === undefined ? addedNode(item, type.element) : LEAF;
  }
  return inOrder(out);
}

/** Units of work to add a member or an item. */
const NODE_UNITS = 8;
/** Places of an element that is not of another set: its own, and its text. */
const NEW_ELEMENT = 2;

/** Does the same as {@link addedNode}, in steps. */
export function addedInSteps(value: JsonValue, type: Type, walk: Walk): MaybeSteps<FieldSet> {
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return LEAF;
  return shape === 'map'
    ? addedMapInSteps(value, type.map as MapType, walk)
    : addedListInSteps(value, type.list as ListType, walk);
}

function* addedMapInSteps(value: JsonValue, type: MapType, walk: Walk): Steps<FieldSet> {
  const map = asMap(value);
  if (type.atomic || map === undefined) return LEAF;
  const { fields } = type;
  const out = new NewSet(true);
  const names = yield* sortedKeysInSteps(map, walk);
  walk.reserve(names.length * NEW_ELEMENT);
  for (const name of names) {
    const child = map[name];
    if (child === undefined) continue;
    if (walk.spend(NODE_UNITS)) yield;
    const field = fields.get(name);
    const childType = field?.type ?? type.element ?? undeclaredField(name);
    const isContainer = typeof child === 'object' && child !== null;
    const made = isContainer ? addedInSteps(child, childType, walk) : addedNode(child, childType);
    out.put(field?.element ?? fieldElement(name), isSteps(made) ? yield* made : made);
  }
  return out.done(walk) ?? LEAF;
}

function* addedListInSteps(value: JsonValue, type: ListType, walk: Walk): Steps<FieldSet> {
  const list = asList(value);
  if (type.atomic || list === undefined || list.length === 0) return LEAF;
  const out = new NewSet(true);
  walk.reserve(list.length * NEW_ELEMENT);
  for (const item of list) {
    if (walk.spend(NODE_UNITS)) yield;
    const element = itemElement(item, type);
    const made = out.has(element) ? LEAF : addedInSteps(item, type.element, walk);
    out.put(element, isSteps(made) ? yield* made : made);
  }
  return yield* inOrderInSteps(walk, out.done(walk) ?? LEAF);
}

/** A set that is made element by element, of which the walk keeps the keys: the engine takes long to list many. */
export class NewSet {
  readonly #node: MutableFieldSet;
  readonly #elements: PathElement[];

  /** @param member true when the path that leads to the set is a member */
  constructor(member: boolean) {
    this.#node = newNode(member);
    this.#elements = member ? [SELF] : [];
  }

  has(element: PathElement): boolean {
    return this.#node[element] !== undefined;
  }

  /** Adds an element, or replaces its node. */
  put(element: PathElement, node: FieldSet): void {
    if (!this.has(element)) this.#elements.push(element);
    this.#node[element] = node;
  }

  /** Returns the set; undefined when it has no elements but its own path. */
  done(walk: Walk): FieldSet | undefined {
    const own = this.has(SELF) ? 1 : 0;
    if (this.#elements.length === own) return undefined;
    walk.noteSet(this.#node, this.#elements);
    return this.#node;
  }
}

/** Does the same as {@link toFieldSet}, in steps. */
export function* toFieldSetInSteps(value: JsonValue, type: Type, walk: Walk): Steps<FieldSet> {
  return (yield* resultOf(ownedInSteps(value, type, false, walk))) ?? EMPTY;
}

/** @param member as for {@link owned} */
function ownedInSteps(value: JsonValue, type: Type, member: boolean, walk: Walk): MaybeSteps<FieldSet | undefined> {
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return LEAF;
  return shape === 'map'
    ? ownedOfMapInSteps(value, type.map as MapType, member, walk)
    : ownedOfListInSteps(value, type.list as ListType, member, walk);
}

function* ownedOfMapInSteps(value: JsonValue, type: MapType, member: boolean, walk: Walk): Steps<FieldSet | undefined> {
  if (type.atomic) return LEAF;
  const map = asMap(value) ?? {};
  const names = walk.keysOf(map);
  walk.reserve(names.length * NEW_ELEMENT);
  const out = new NewSet(member);
  for (const name of names) {
    const child = map[name];
    if (child === undefined) continue;
    if (walk.spend(NODE_UNITS)) yield;
    const field = type.fields.get(name);
    const childType = field?.type ?? type.element ?? undeclaredField(name);
    const isContainer = typeof child === 'object' && child !== null;
    const isMember =
      field === undefined || child === null || (!isArray(child) && isContainer && walk.isEmptyMap(child));
    const made = isContainer ? ownedInSteps(child, childType, isMember, walk) : owned(child, childType, isMember);
    const node = isSteps(made) ? yield* made : made;
    if (node !== undefined) out.put(field?.element ?? fieldElement(name), node);
  }
  return out.done(walk) ?? (member ? LEAF : undefined);
}

function* ownedOfListInSteps(
  value: JsonValue,
  type: ListType,
  member: boolean,
  walk: Walk,
): Steps<FieldSet | undefined> {
  const list = asList(value);
  if (type.atomic || list === undefined || list.length === 0) return ownedOfList(value, type, member);
  walk.reserve(list.length * NEW_ELEMENT);
  const out = new NewSet(member);
  for (const item of list) {
    if (walk.spend(NODE_UNITS)) yield;
    const element = itemElement(item, type);
    const made = out.has(element) ? LEAF : ownedInSteps(item, type.element, true, walk);
    out.put(element, (isSteps(made) ? yield* made : made) ?? LEAF);
  }
  return out.done(walk);
}
