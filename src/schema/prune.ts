import { setOwnMember } from '../encoding/own-property.js';
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type MutableJsonObject,
  type MutableJsonValue,
} from '../meta/json.js';
import { canonicalQuantity } from '../meta/quantity.js';
import type { StructuralSchema } from './structural.js';

/**
 * A copy of what a client sent, without the fields that the schema does not have, and otherwise as it was: nothing is
 * filled in, and nulls and empty values stay. It is the intent of a server-side apply, in which what is not said matters.
 * Amounts come in canonical form, so that the same amount is the same value.
 */
export function pruneIntent(value: JsonObject, schema: StructuralSchema): MutableJsonObject;
export function pruneIntent(value: JsonValue, schema: StructuralSchema | undefined): MutableJsonValue;
export function pruneIntent(value: JsonValue, schema: StructuralSchema | undefined): MutableJsonValue {
  if (isArray(value)) return value.map((item) => pruneIntent(item, schema?.items));
  if (isJsonObject(value)) return pruneObject(value, schema);
  if (schema?.format === 'quantity' && value !== null) return canonicalQuantity(String(value)) ?? value;
  return value;
}

function pruneObject(value: JsonObject, schema: StructuralSchema | undefined): MutableJsonObject {
  const copy: MutableJsonObject = {};
  const keepsUnknown =
    schema === undefined ||
    schema.preserveUnknownFields === true ||
    (schema.properties === undefined && schema.additionalProperties === undefined);
  for (const key of Object.keys(value)) {
    const member = value[key];
    const known = schema?.properties?.get(key) ?? schema?.additionalProperties;
    if (member !== undefined && (known !== undefined || keepsUnknown))
      setOwnMember(copy, key, pruneIntent(member, known));
  }
  return copy;
}
