import {
  atOnce,
  equalJson,
  isArray,
  resultOf,
  sortedKeys,
  UNBOUNDED_WORK,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { fieldElement, SELF, type PathElement } from '../fieldpath/element.js';
import { difference, EMPTY, LEAF, type FieldSet, type MutableFieldSet } from '../fieldpath/fieldset.js';
import { ELEMENT_UNITS } from '../fieldpath/node-in-steps.js';
import type { Path } from '../fieldpath/paths.js';
import { combined, DIFFERENCE } from '../fieldpath/set-steps.js';
import { sortedKeysInSteps } from '../fieldpath/sorted-keys.js';
import { Walk } from '../fieldpath/walk.js';
import { undeclaredField } from './errors.js';
import { addedInSteps, addedNode, NewSet } from './owned.js';
import type { Field, MapType, Type } from './type.js';
import { isUntracked, UNTRACKED, untrackedBelow } from './untracked.js';
import { asMap, isEmptyMap } from './value.js';

/** Returns the zero object, which a create starts from: only the fields that its type always writes. */
export function zeroObject(type: Type): JsonObject {
  return type.map?.zero ?? EMPTY_OBJECT;
}
const EMPTY_OBJECT: JsonObject = Object.freeze({});

/**
 * Returns the fields that a create sets: those added or modified between {@link zeroObject} and the object, found in
 * one walk. Structs that are always written count as existing before, so `spec` is not a member and `data` is.
 *
 * @throws TypedError when the object has undeclared fields, or items without valid keys or values
 */
export function createdFields(object: JsonObject, type: Type): FieldSet {
  return type.map === undefined ? EMPTY : (atOnce(createdIn(object, type.map, undefined, undefined)) ?? EMPTY);
}

/**
 * Returns the fields of {@link createdFields} without those that have no owner.
 *
 * @throws TypedError like {@link createdFields}
 */
export function createdOwnedFields(object: JsonObject, type: Type): FieldSet {
  return atOnce(createdOwnedInSteps(object, type, UNBOUNDED_WORK));
}

/** Does the same as {@link createdOwnedFields}, in steps. */
export function* createdOwnedInSteps(object: JsonObject, type: Type, work: Work): Steps<FieldSet> {
  if (type.map === undefined) return EMPTY;
  const walk = work === UNBOUNDED_WORK ? undefined : new Walk(work);
  const created = (yield* createdIn(object, type.map, [], walk)) ?? EMPTY;
  // Metadata that is not always written has been added as a whole.
  return walk === undefined ? difference(created, UNTRACKED) : yield* combined(walk, DIFFERENCE, created, UNTRACKED);
}

/**
 * @param parent the path of the map, if fields below it may have no owner and are left out
 * @param walk that of a large object
 */
function* createdIn(
  map: JsonObject,
  type: MapType,
  parent: Path | undefined,
  walk: Walk | undefined,
): Steps<FieldSet | undefined> {
  const { fields } = type;
  let out: MutableFieldSet | undefined;
  const elements: PathElement[] | undefined = walk === undefined ? undefined : [];
  for (const name of walk === undefined ? sortedKeys(map) : yield* sortedKeysInSteps(map, walk)) {
    const value = map[name];
    if (value === undefined || (parent !== undefined && isUntracked(parent, name))) continue;
    const field = fields.get(name);
    const childType = field?.type ?? type.element ?? undeclaredField(name);
    const node =
      field?.always === true
        ? yield* createdOverZero(value, field, type.zero[name] ?? null, untrackedBelow(parent, name), walk)
        : yield* added(value, childType, walk);
    if (node === undefined) continue;
    const element = field?.element ?? fieldElement(name);
    (out ??= {})[element] = node;
    elements?.push(element);
  }
  if (out !== undefined && elements !== undefined) walk?.noteSet(out, elements);
  return out;
}

/** Returns the fields that a value changes in the zero value of its field; undefined when it changes none. */
function* createdOverZero(
  value: JsonValue,
  field: Field,
  zero: JsonValue,
  path: Path | undefined,
  walk: Walk | undefined,
): Steps<FieldSet | undefined> {
  const { map, list } = field.type;
  if (map !== undefined && !map.atomic) {
    const valueMap = asMap(value);
    if (valueMap !== undefined && !isEmptyMap(valueMap)) return yield* createdIn(valueMap, map, path, walk);
    if (!isEmptyMap(asMap(zero))) return undefined;
  } else if (list !== undefined && !list.atomic && isArray(value) && value.length > 0) {
    // The list existed as null: its items are new, the list is not.
    const set = yield* added(value, field.type, walk);
    if (walk !== undefined) return yield* itemsOf(set, walk);
    const { [SELF]: _self, ...items } = set;
    return items;
  }
  return equalJson(value, zero) ? undefined : LEAF;
}

/** Returns the elements of a set without its own path. */
function* itemsOf(set: FieldSet, walk: Walk): Steps<FieldSet> {
  const items = new NewSet(false);
  for (const element of walk.keysOf(set)) {
    if (walk.spend(ELEMENT_UNITS)) yield;
    if (element !== SELF) items.put(element, set[element] as FieldSet);
  }
  return items.done(walk) ?? EMPTY;
}

/** Returns the fields of a new value; in steps for a large object. */
const added = (value: JsonValue, type: Type, walk: Walk | undefined): Steps<FieldSet> =>
  resultOf(walk === undefined ? addedNode(value, type) : addedInSteps(value, type, walk));
