import { isArray, type JsonObject, type JsonValue, type MutableJsonObject } from '../../meta/json.js';

/** The value as a map; undefined when it is none. */
export function asMap(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !isArray(value) ? value : undefined;
}

/** The value as a list; undefined when it is none. */
export function asList(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return isArray(value) ? value : undefined;
}

/**
 * A member of an object, never one of its prototype: keys are the users'. What objects inherit are functions and, as
 * `__proto__`, the prototype itself; no JSON value is either, so that the look-up need not ask whose the member is.
 */
export function member(object: JsonObject, key: string): JsonValue | undefined {
  const value = object[key];
  return typeof value === 'function' || value === OBJECT_PROTOTYPE ? undefined : value;
}
const OBJECT_PROTOTYPE: unknown = Object.prototype;

/** True for an object without members and for no object. */
export function isEmptyMap(map: JsonObject | undefined): boolean {
  if (map === undefined) return true;
  for (const key in map) if (map[key] !== undefined) return false;
  return true;
}

/** A copy without one member. */
export function without(object: JsonObject, key: string): MutableJsonObject {
  const { [key]: _left, ...rest } = object;
  return rest as MutableJsonObject;
}
