import { isArray, type JsonValue } from './json.js';

/** Returns a lower bound of the length of a value's JSON. Counting ends above a limit. */
export function leastLength(value: JsonValue | undefined, limit: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 1;
  let length = 2;
  if (isArray(value))
    for (const item of value) {
      length += 1 + leastLength(item, limit - length);
      if (length > limit) break;
    }
  else
    for (const name in value) {
      length += name.length + 3 + leastLength(value[name], limit - length);
      if (length > limit) break;
    }
  return length;
}
