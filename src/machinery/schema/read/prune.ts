import {
  integerValue,
  isArray,
  isJsonObject,
  setOwnMember,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../define/structural.js';
import { fieldsOf, preservesUnknown } from './readers.js';

/**
 * Returns a copy of a client's object without unknown fields: the intent of a server-side apply, in which absent fields
 * matter. No defaults are filled in, and nulls and empty values stay.
 */
export function pruneIntent(value: JsonObject, schema: StructuralSchema): MutableJsonObject;
export function pruneIntent(value: JsonValue, schema: StructuralSchema | undefined): MutableJsonValue;
export function pruneIntent(value: JsonValue, schema: StructuralSchema | undefined): MutableJsonValue {
  return pruneValue(value, schema, false);
}

function pruneValue(
  value: JsonValue,
  schema: StructuralSchema | undefined,
  inPreservingList: boolean,
): MutableJsonValue {
  const preserves = schema === undefined || preservesUnknown(schema, inPreservingList);
  if (isArray(value)) return value.map((item) => pruneValue(item, schema?.items, preserves));
  if (isJsonObject(value)) return pruneObject(value, schema, preserves);
  return typeof value === 'bigint' ? integerValue(value) : value;
}

function pruneObject(value: JsonObject, schema: StructuralSchema | undefined, preserves: boolean): MutableJsonObject {
  const copy: MutableJsonObject = {};
  const fields = schema === undefined ? undefined : fieldsOf(schema);
  const keepsUnknown = preserves || (fields === undefined && schema?.additionalProperties === undefined);
  for (const key of Object.keys(value)) {
    const member = value[key];
    const known = fields?.get(key) ?? schema?.additionalProperties;
    if (member !== undefined && (known !== undefined || keepsUnknown))
      setOwnMember(copy, key, pruneValue(member, known, false));
  }
  return copy;
}
