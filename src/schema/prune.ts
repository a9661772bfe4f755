import { setOwnMember } from '../encoding/own-property.js';
import { integerValue } from '../meta/json-text.js';
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
} from '../meta/json.js';
import { canonicalQuantity } from '../meta/quantity.js';
import { fieldsOf, preservesUnknown, type Origin } from './readers.js';
import type { StructuralSchema } from './structural.js';

/**
 * Returns a copy of a client's object without unknown fields: the intent of a server-side apply, in which absent fields
 * matter. No defaults are filled in, and nulls and empty values stay. Quantities of a built-in kind have canonical
 * form, so that equal quantities are equal values.
 *
 * @param origin the rules to apply. Default `user`
 */
export function pruneIntent(value: JsonObject, schema: StructuralSchema, origin?: Origin): MutableJsonObject;
export function pruneIntent(value: JsonValue, schema: StructuralSchema | undefined, origin?: Origin): MutableJsonValue;
export function pruneIntent(
  value: JsonValue,
  schema: StructuralSchema | undefined,
  origin: Origin = 'user',
): MutableJsonValue {
  return pruneValue(value, schema, origin, false);
}

function pruneValue(
  value: JsonValue,
  schema: StructuralSchema | undefined,
  origin: Origin,
  inPreservingList: boolean,
): MutableJsonValue {
  const preserves = schema === undefined || preservesUnknown(schema, inPreservingList);
  if (isArray(value)) return value.map((item) => pruneValue(item, schema?.items, origin, preserves));
  if (isJsonObject(value)) return pruneObject(value, schema, origin, preserves);
  if (origin === 'builtin' && schema?.format === 'quantity' && value !== null)
    return canonicalQuantity(String(value)) ?? value;
  return typeof value === 'bigint' ? integerValue(value) : value;
}

function pruneObject(
  value: JsonObject,
  schema: StructuralSchema | undefined,
  origin: Origin,
  preserves: boolean,
): MutableJsonObject {
  const copy: MutableJsonObject = {};
  const fields = schema === undefined ? undefined : fieldsOf(schema);
  const keepsUnknown = preserves || (fields === undefined && schema?.additionalProperties === undefined);
  for (const key of Object.keys(value)) {
    const member = value[key];
    const known = fields?.get(key) ?? schema?.additionalProperties;
    if (member !== undefined && (known !== undefined || keepsUnknown))
      setOwnMember(copy, key, pruneValue(member, known, origin, false));
  }
  return copy;
}
