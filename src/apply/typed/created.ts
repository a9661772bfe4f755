import { equalJson, isArray, type JsonObject, type JsonValue } from '../../meta/json.js';
import { fieldElement, SELF } from '../fieldpath/element.js';
import { EMPTY, LEAF, type FieldSet, type MutableFieldSet } from '../fieldpath/fieldset.js';
import { sortedKeys } from '../fieldpath/text.js';
import { undeclaredField } from './errors.js';
import { addedNode } from './owned.js';
import type { Field, MapType, Type } from './type.js';
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
  return type.map === undefined ? EMPTY : (createdIn(object, type.map) ?? EMPTY);
}

function createdIn(map: JsonObject, type: MapType): FieldSet | undefined {
  const { fields } = type;
  let out: MutableFieldSet | undefined;
  for (const name of sortedKeys(map)) {
    const value = map[name];
    if (value === undefined) continue;
    const field = fields.get(name);
    const childType = field?.type ?? type.element ?? undeclaredField(name);
    const node =
      field?.always === true ? createdOverZero(value, field, type.zero[name] ?? null) : addedNode(value, childType);
    if (node !== undefined) (out ??= {})[field?.element ?? fieldElement(name)] = node;
  }
  return out;
}

/** Returns the fields that a value changes in the zero value of its field; undefined when it changes none. */
function createdOverZero(value: JsonValue, field: Field, zero: JsonValue): FieldSet | undefined {
  const { map, list } = field.type;
  if (map !== undefined && !map.atomic) {
    const valueMap = asMap(value);
    if (valueMap !== undefined && !isEmptyMap(valueMap)) return createdIn(valueMap, map);
    if (!isEmptyMap(asMap(zero))) return undefined;
  } else if (list !== undefined && !list.atomic && isArray(value) && value.length > 0) {
    // The list existed as null: its items are new, the list is not.
    const { [SELF]: _self, ...items } = addedNode(value, field.type);
    return items;
  }
  return equalJson(value, zero) ? undefined : LEAF;
}
