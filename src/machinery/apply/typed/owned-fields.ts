/**
 * The fields that a writer owns of a value, in one walk for all rules. A walk makes their set, or compares them with a
 * set, which takes no memory.
 *
 * @module
 */
import { equalJson, isArray, type JsonObject, type JsonValue } from '../../../foundation/index.js';
import { fieldElement, SELF, type PathElement } from '../fieldpath/element.js';
import {
  difference,
  EMPTY,
  inOrder,
  isEmpty,
  LEAF,
  newNode,
  type FieldSet,
  type MutableFieldSet,
} from '../fieldpath/fieldset.js';
import type { Path } from '../fieldpath/paths.js';
import { undeclaredField } from './errors.js';
import { itemElement } from './item.js';
import { shapeOf, type Field, type ListType, type MapType, type Type } from './type.js';
import { isUntracked, UNTRACKED, untrackedBelow } from './untracked.js';
import { asList, asMap, isEmptyMap } from './value.js';

/**
 * The rule by which a writer owns fields.
 *
 * - `applied`: an applier owns what it names: leaves (scalars, atomic maps and lists, nulls, empty maps), the items of
 *   lists, and the entries of maps. Containers that are declared fields are not members: the applier of a field does not
 *   own the struct around it. Sets are in no particular order.
 * - `added`: an update owns what it changes, every path of a new value, including containers: `data` as well as
 *   `data.key`. Sets are in Kubernetes order.
 * - `created`: a create owns what it adds to the zero object, or modifies in it. Structs that are always written exist
 *   before, so `spec` is not a member and `data` is. Below fields that are not always written, the rule is `added`.
 */
export type OwnershipRule = 'applied' | 'added' | 'created';

/**
 * Returns the fields that an applier owns of an intent.
 *
 * @throws TypedError when the value has undeclared fields, or items without valid keys or values
 */
export function toFieldSet(value: JsonValue, type: Type): FieldSet {
  return fieldsOf(value, type, false, 'applied', undefined, undefined) ?? EMPTY;
}

/**
 * Returns true when a set has exactly the fields that the applier of an intent owns: those of {@link toFieldSet} without
 * fields that have no owner. The intent must match its type, without duplicate items.
 */
export function ownsExactly(set: FieldSet, intent: JsonObject, { map }: Type): boolean {
  return map !== undefined && fieldsOfMap(intent, map, false, 'applied', set, []) === set;
}

/**
 * Returns the fields that a new value adds.
 *
 * @throws TypedError like {@link toFieldSet}
 */
export function addedNode(value: JsonValue, type: Type): FieldSet {
  return fieldsOf(value, type, true, 'added', undefined, undefined) ?? LEAF;
}

/**
 * Returns the fields that the creator of an object owns.
 *
 * @throws TypedError like {@link toFieldSet}
 */
export function createdOwnedFields(object: JsonObject, { map }: Type): FieldSet {
  const created = map && fieldsOfMap(object, map, false, 'created', undefined, []);
  // Metadata that is not always written has been added as a whole.
  return created === undefined ? EMPTY : difference(created, UNTRACKED);
}

/**
 * Returns true when a set is that of {@link createdOwnedFields}. Cheaper than making the set again, but not exact: for
 * some objects, such as those with long lists or an item twice, it returns false in any case.
 *
 * @throws TypedError for items without valid keys or values
 */
export function createsExactly(set: FieldSet, object: JsonObject, { map }: Type): boolean {
  return map !== undefined && fieldsOfMap(object, map, false, 'created', isEmpty(set) ? NONE : set, []) !== OTHER;
}

/** A node to compare with that the set does not have. */
const NONE: FieldSet = Object.freeze({});
/** The result of a comparison with a node that differs. */
const OTHER: FieldSet = Object.freeze({});

/** Maximum number of items of a list that are compared where they may occur twice: each is looked for among the others. */
const MAX_ITEMS = 16;

/**
 * Returns the node of a value; undefined when the writer owns nothing in it.
 *
 * @param member true when the path that leads to the value is a member, whatever the value contains
 * @param known the node to compare with, {@link NONE} for none; undefined to make the node. When it is that of the value,
 *   it is returned itself (undefined for none), otherwise {@link OTHER}
 * @param path the path of the value, if fields below it may have no owner and are left out
 */
function fieldsOf(
  value: JsonValue,
  type: Type,
  member: boolean,
  rule: OwnershipRule,
  known: FieldSet | undefined,
  path: Path | undefined,
): FieldSet | undefined {
  const shape = shapeOf(type, value);
  if (shape === 'scalar') return leaf(known);
  if (shape === 'list') return fieldsOfList(value, type.list as ListType, member, rule, known);
  return fieldsOfMap(value, type.map as MapType, member, rule, known, path);
}

/** Returns the node of a member without fields inside. */
function leaf(known: FieldSet | undefined): FieldSet {
  if (known === undefined) return LEAF;
  return known !== NONE && isEmpty(known) ? known : OTHER;
}

/** Returns the node of a value in which the writer owns nothing. */
function empty(member: boolean, known: FieldSet | undefined): FieldSet | undefined {
  if (member) return leaf(known);
  return known === undefined || known === NONE ? undefined : OTHER;
}

/** Returns a node with a number of elements if it has no others, and is a member or not. */
function sameNode(known: FieldSet, count: number, member: boolean): FieldSet {
  let rest = count;
  for (const element in known) if (element !== SELF) rest -= 1;
  return rest === 0 && (known[SELF] !== undefined) === member ? known : OTHER;
}

function fieldsOfMap(
  value: JsonValue,
  type: MapType,
  member: boolean,
  rule: OwnershipRule,
  known: FieldSet | undefined,
  path: Path | undefined,
): FieldSet | undefined {
  if (type.atomic) return leaf(known);
  const map = asMap(value);
  const { fields } = type;
  let out: MutableFieldSet | undefined;
  let count = 0;
  for (const name in map) {
    const child = map[name];
    if (child === undefined || (path !== undefined && isUntracked(path, name))) continue;
    const field = fields.get(name);
    const childType = field?.type ?? type.element;
    if (childType === undefined) return known === undefined ? undeclaredField(name) : OTHER;
    const element = field?.element ?? fieldElement(name);
    const childKnown = known && (known[element] ?? NONE);
    const below = path && untrackedBelow(path, name);
    const node =
      rule === 'created'
        ? field?.always === true
          ? fieldsOverZero(child, field, type.zero[name] ?? null, childKnown, below)
          : fieldsOf(child, childType, true, 'added', childKnown, undefined)
        : fieldsOf(child, childType, rule === 'added' || isNamed(field, child), rule, childKnown, below);
    if (node === undefined) continue;
    if (node === OTHER) return OTHER;
    count += 1;
    if (known === undefined) (out ??= newNode(member))[element] = node;
  }
  if (count === 0) return empty(member, known);
  if (known !== undefined) return sameNode(known, count, member);
  return rule === 'applied' ? out : out && inOrder(out);
}

/** Returns whether an applier that names a member owns it, whatever it contains. */
function isNamed(field: Field | undefined, value: JsonValue): boolean {
  if (field === undefined || value === null) return true;
  return typeof value === 'object' && !isArray(value) && isEmptyMap(value);
}

function fieldsOfList(
  value: JsonValue,
  type: ListType,
  member: boolean,
  rule: OwnershipRule,
  known: FieldSet | undefined,
): FieldSet | undefined {
  if (type.atomic) return leaf(known);
  const list = asList(value);
  if (list === undefined || list.length === 0) return empty(member, known);
  if (known !== undefined) return sameItems(list, type, member, rule, known);
  const out = newNode(member);
  for (const item of list) {
    const element = itemElement(item, type);
    // An item that occurs twice is owned as a whole, without the fields inside.
    out[element] =
      out[element] === undefined ? (fieldsOf(item, type.element, true, rule, undefined, undefined) ?? LEAF) : LEAF;
  }
  return rule === 'applied' ? out : inOrder(out);
}

/** Compares the items of a list with those of a node. */
function sameItems(
  list: readonly JsonValue[],
  type: ListType,
  member: boolean,
  rule: OwnershipRule,
  known: FieldSet,
): FieldSet {
  if (rule !== 'applied' && list.length > MAX_ITEMS) return OTHER;
  const seen: PathElement[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const item = list[index] as JsonValue;
    const element = itemElement(item, type);
    const node = known[element];
    if (node === undefined || fieldsOf(item, type.element, true, rule, node, undefined) === OTHER) return OTHER;
    if (rule === 'applied') continue;
    if (seen.includes(element)) return OTHER;
    seen.push(element);
  }
  return sameNode(known, list.length, member);
}

/** Returns the fields that a value changes in the zero value of its field. */
function fieldsOverZero(
  value: JsonValue,
  { type: { map, list } }: Field,
  zero: JsonValue,
  known: FieldSet | undefined,
  path: Path | undefined,
): FieldSet | undefined {
  if (map !== undefined && !map.atomic) {
    const members = asMap(value);
    if (!isEmptyMap(members)) return fieldsOfMap(value, map, false, 'created', known, path);
    if (!isEmptyMap(asMap(zero))) return empty(false, known);
  } else if (list !== undefined && !list.atomic && isArray(value) && value.length > 0) {
    // The list existed as null: its items are new, the list is not.
    return fieldsOfList(value, list, false, 'added', known);
  }
  return equalJson(value, zero) ? empty(false, known) : leaf(known);
}
