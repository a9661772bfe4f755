import { isJsonObject, stringOrEmpty, type JsonObject, type JsonValue } from '../../foundation/index.js';

/** Returns the object at a path of fields; empty when there is none. */
export function recordAt(value: unknown, ...path: readonly string[]): JsonObject {
  let at = value;
  for (const field of path) at = isJsonObject(at) ? at[field] : undefined;
  return isJsonObject(at) ? at : {};
}

/** Returns the string in a field; empty when there is none. */
export function textAt(record: JsonObject, field: string): string {
  const value = record[field];
  return stringOrEmpty(value);
}

/** Returns the list in a field; empty when there is none. */
export function listAt(record: JsonObject, field: string): readonly JsonValue[] {
  const value = record[field];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
