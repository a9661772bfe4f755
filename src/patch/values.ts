import { isArray, type JsonValue } from '../meta/json.js';
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

/** Refuses a value that is nested too deep. */
export function checkDepth(value: JsonValue | undefined, limit = MAX_PATCH_DEPTH): void {
  if (typeof value !== 'object' || value === null) return;
  if (limit === 0) throw malformed('exceeded max depth');
  if (isArray(value)) for (const item of value) checkDepth(item, limit - 1);
  else for (const key in value) checkDepth(value[key], limit - 1);
}
