import type { JsonObject, JsonValue } from '../../../foundation/index.js';
import type { StructuralSchema } from './structural.js';

/** Returns the zero value of a struct: the fields that are always written, with their zero values. */
export function zeroStruct(schema: StructuralSchema): JsonObject {
  const zero: Record<string, JsonValue> = {};
  for (const [name, property] of schema.properties ?? [])
    if (property.presence === 'always') zero[name] = zeroValue(property);
  return Object.freeze(zero);
}

/** Returns the zero value of a field that is always written. */
export function zeroValue(schema: StructuralSchema): JsonValue {
  if (schema.nullable === true) return null;
  if (schema.type === 'object') return schema.properties === undefined ? null : zeroStruct(schema);
  if (schema.format === 'quantity') return '0';
  // Bytes and times are written as null.
  if (schema.type === 'string') return schema.format === undefined ? '' : null;
  if (schema.type === 'boolean') return false;
  return schema.type === 'array' || schema.type === 'any' ? null : 0;
}
