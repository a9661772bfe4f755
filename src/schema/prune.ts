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
import { fieldsOf, type Origin } from './readers.js';
import type { StructuralSchema } from './structural.js';

/**
 * A copy of what a client sent, without the fields that the schema does not have, and otherwise as it was: nothing is
 * filled in, and nulls and empty values stay. It is the intent of a server-side apply, in which what is not said matters.
 * Amounts of a built-in kind come in canonical form, so that the same amount is the same value.
 *
 * @param origin whose rules hold. Default `user`
 */
export function pruneIntent(value: JsonObject, schema: StructuralSchema, origin?: Origin): MutableJsonObject;
export function pruneIntent(value: JsonValue, schema: StructuralSchema | undefined, origin?: Origin): MutableJsonValue;
export function pruneIntent(
  value: JsonValue,
  schema: StructuralSchema | undefined,
  origin: Origin = 'user',
): MutableJsonValue {
  if (isArray(value)) return value.map((item) => pruneIntent(item, schema?.items, origin));
  if (isJsonObject(value)) return pruneObject(value, schema, origin);
  if (origin === 'builtin' && schema?.format === 'quantity' && value !== null)
    return canonicalQuantity(String(value)) ?? value;
  return value;
}

function pruneObject(value: JsonObject, schema: StructuralSchema | undefined, origin: Origin): MutableJsonObject {
  const copy: MutableJsonObject = {};
  const fields = schema === undefined ? undefined : fieldsOf(schema);
  const keepsUnknown =
    schema === undefined ||
    schema.preserveUnknownFields === true ||
    (fields === undefined && schema.additionalProperties === undefined);
  for (const key of Object.keys(value)) {
    const member = value[key];
    const known = fields?.get(key) ?? schema?.additionalProperties;
    if (member !== undefined && (known !== undefined || keepsUnknown))
      setOwnMember(copy, key, pruneIntent(member, known, origin));
  }
  return copy;
}
