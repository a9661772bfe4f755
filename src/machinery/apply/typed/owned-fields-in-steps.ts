/**
 * The walk of `owned-fields.ts` over a large value, in steps. It only makes sets.
 *
 * @module
 */
import {
  equalSteps,
  isArray,
  isSteps,
  resultOf,
  type JsonObject,
  type JsonValue,
  type MaybeSteps,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { fieldElement, SELF, type PathElement } from '../fieldpath/element.js';
import { EMPTY, LEAF, newNode, type FieldSet, type MutableFieldSet } from '../fieldpath/fieldset.js';
import { combined, DIFFERENCE, inOrderInSteps } from '../fieldpath/set-steps.js';
import { sortedKeysInSteps } from '../fieldpath/sorted-keys.js';
import { Walk } from '../fieldpath/walk.js';
import { undeclaredField } from './errors.js';
import { itemElement } from './item.js';
import type { OwnershipRule } from './owned-fields.js';
import { shapeOf, type Field, type ListType, type MapType, type Type } from './type.js';
import { UNTRACKED } from './untracked.js';
import { asList, asMap } from './value.js';

/** Units of work to add a member or an item. */
const NODE_UNITS = 8;
/** Places of an element that is not of another set: its own, and its text. */
const NEW_ELEMENT = 2;

/** Does the same as `toFieldSet`, in steps. */
export function* toFieldSetInSteps(value: JsonValue, type: Type, walk: Walk): Steps<FieldSet> {
  return (yield* resultOf(fieldsOf(value, type, false, 'applied', walk))) ?? EMPTY;
}

/** Does the same as `addedNode`, in steps. */
export function* addedInSteps(value: JsonValue, type: Type, walk: Walk): Steps<FieldSet> {
  return (yield* resultOf(fieldsOf(value, type, true, 'added', walk))) ?? LEAF;
}

/** Does the same as `createdOwnedFields`, in steps. */
export function* createdOwnedInSteps(object: JsonObject, { map }: Type, work: Work): Steps<FieldSet> {
  if (map === undefined) return EMPTY;
  const walk = new Walk(work);
  const created = yield* fieldsOfMap(object, map, false, 'created', walk);
  return created === undefined ? EMPTY : yield* combined(walk, DIFFERENCE, created, UNTRACKED);
}

/** @param member as in `owned-fields.ts` */
function fieldsOf(
  value: JsonValue,
  type: Type,
  member: boolean,
  rule: OwnershipRule,
  walk: Walk,
): MaybeSteps<FieldSet | undefined> {
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return LEAF;
  return shape === 'map'
    ? fieldsOfMap(value, type.map as MapType, member, rule, walk)
    : fieldsOfList(value, type.list as ListType, member, rule, walk);
}

function* fieldsOfMap(
  value: JsonValue,
  type: MapType,
  member: boolean,
  rule: OwnershipRule,
  walk: Walk,
): Steps<FieldSet | undefined> {
  if (type.atomic) return LEAF;
  const map = asMap(value) ?? {};
  const names = rule === 'applied' ? walk.keysOf(map) : yield* sortedKeysInSteps(map, walk);
  walk.reserve(names.length * NEW_ELEMENT);
  const out = new NewSet(member);
  for (const name of names) {
    const child = map[name];
    if (child === undefined) continue;
    if (walk.spend(NODE_UNITS)) yield;
    const field = type.fields.get(name);
    const childType = field?.type ?? type.element ?? undeclaredField(name);
    const making =
      rule === 'created'
        ? field?.always === true
          ? fieldsOverZero(child, field, type.zero[name] ?? null, walk)
          : fieldsOf(child, childType, true, 'added', walk)
        : fieldsOf(child, childType, rule === 'added' || isNamed(field, child, walk), rule, walk);
    const node = isSteps(making) ? yield* making : making;
    if (node !== undefined) out.put(field?.element ?? fieldElement(name), node);
  }
  return out.done(walk) ?? (member ? LEAF : undefined);
}

/** Returns whether an applier that names a member owns it. The keys of a map are listed once. */
function isNamed(field: Field | undefined, value: JsonValue, walk: Walk): boolean {
  const map = asMap(value);
  return field === undefined || value === null || (map !== undefined && walk.isEmptyMap(map));
}

function* fieldsOfList(
  value: JsonValue,
  type: ListType,
  member: boolean,
  rule: OwnershipRule,
  walk: Walk,
): Steps<FieldSet | undefined> {
  if (type.atomic) return LEAF;
  const list = asList(value);
  if (list === undefined || list.length === 0) return member ? LEAF : undefined;
  walk.reserve(list.length * NEW_ELEMENT);
  const out = new NewSet(member);
  for (const item of list) {
    if (walk.spend(NODE_UNITS)) yield;
    const element = itemElement(item, type);
    const making = out.has(element) ? LEAF : fieldsOf(item, type.element, true, rule, walk);
    out.put(element, (isSteps(making) ? yield* making : making) ?? LEAF);
  }
  const set = out.done(walk) ?? LEAF;
  return rule === 'applied' ? set : yield* inOrderInSteps(walk, set);
}

function* fieldsOverZero(
  value: JsonValue,
  { type: { map, list } }: Field,
  zero: JsonValue,
  walk: Walk,
): Steps<FieldSet | undefined> {
  if (map !== undefined && !map.atomic) {
    if (!walk.isEmptyMap(asMap(value))) return yield* fieldsOfMap(value, map, false, 'created', walk);
    if (!walk.isEmptyMap(asMap(zero))) return undefined;
  } else if (list !== undefined && !list.atomic && isArray(value) && value.length > 0)
    return yield* fieldsOfList(value, list, false, 'added', walk);
  return (yield* equalSteps(walk.work, value, zero)) ? undefined : LEAF;
}

/** A set that is made element by element, of which the walk keeps the keys: the engine takes long to list many. */
class NewSet {
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
