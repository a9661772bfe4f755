import { isArray, type JsonObject, type JsonValue } from '../meta/json.js';
import { malformed } from './patch-error.js';

/** An object that is being made. Its members may be shared with other values. */
export interface Draft {
  [key: string]: JsonValue | undefined;
}

/**
 * Deepest nesting of a patch, and of what a JSON Patch makes. The decoder's own limit (10,000) is what a text may have; functions that call themselves for
 * every level need a lower one.
 */
export const MAX_PATCH_DEPTH = 1_000;

/** A member of the object itself: what all objects inherit (`constructor`) is none. */
export function memberOf(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets a member as the object's own, whatever its name: assigning `__proto__` would change the prototype instead. */
export function setMember(object: Draft, key: string, value: JsonValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** Refuses a value that is nested too deep. */
export function checkDepth(value: JsonValue | undefined, limit = MAX_PATCH_DEPTH): void {
  if (typeof value !== 'object' || value === null) return;
  if (limit === 0) throw malformed('exceeded max depth');
  if (isArray(value)) for (const item of value) checkDepth(item, limit - 1);
  else for (const key in value) checkDepth(value[key], limit - 1);
}
