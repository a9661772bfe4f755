import { isArray, type JsonObject, type JsonValue, type MutableJsonObject } from '../../../foundation/index.js';

/** Returns the value as a map; undefined when it is not one. */
export function asMap(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !isArray(value) ? value : undefined;
}

/** Returns the value as a list; undefined when it is not one. */
export function asList(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return isArray(value) ? value : undefined;
}

/**
 * Returns a member of an object, never one of its prototype, since keys come from users. Inherited members are
 * functions and, as `__proto__`, the prototype itself. No JSON value is either, so the look-up needs no ownership
 * check.
 */
export function member(object: JsonObject, key: string): JsonValue | undefined {
  const value = object[key];
  return typeof value === 'function' || value === OBJECT_PROTOTYPE ? undefined : value;
}
const OBJECT_PROTOTYPE: unknown = Object.prototype;

/** Returns true for an object without members and for undefined. */
export function isEmptyMap(map: JsonObject | undefined): boolean {
  if (map === undefined) return true;
  for (const key in map) if (map[key] !== undefined) return false;
  return true;
}

/** Returns a copy without one member. */
export function without(object: JsonObject, key: string): MutableJsonObject {
  const { [key]: _removed, ...rest } = object;
  return rest as MutableJsonObject;
}
