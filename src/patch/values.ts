import { isArray, type JsonValue } from '../meta/json.js';
import { malformed } from './patch-error.js';

/** An object under construction. Its members may be shared with other values. */
export interface Draft {
  [key: string]: JsonValue | undefined;
}

/**
 * Maximum nesting of a patch, and of the result of a JSON Patch. The decoder allows 10,000 levels; recursive functions
 * need a lower limit.
 */
export const MAX_PATCH_DEPTH = 1_000;

/** Throws PatchError 400 for a value that is nested too deeply. */
export function checkDepth(value: JsonValue | undefined, limit = MAX_PATCH_DEPTH): void {
  if (typeof value !== 'object' || value === null) return;
  if (limit === 0) throw malformed('exceeded max depth');
  if (isArray(value)) for (const item of value) checkDepth(item, limit - 1);
  else for (const key in value) checkDepth(value[key], limit - 1);
}
