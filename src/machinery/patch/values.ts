import {
  isArray,
  keysInSteps,
  setOwnMember,
  UNBOUNDED_WORK,
  type JsonValue,
  type Steps,
  type Work,
} from '../../foundation/index.js';
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

/** Units of work to look at a value. */
const VALUE_UNITS = 1;

/** Does the same as {@link checkDepth}, in steps. */
export function* checkDepthInSteps(work: Work, value: JsonValue | undefined, limit = MAX_PATCH_DEPTH): Steps<void> {
  if (work === UNBOUNDED_WORK) {
    checkDepth(value, limit);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (limit === 0) throw malformed('exceeded max depth');
  if (isArray(value)) {
    for (const item of value) {
      if (work.spend(VALUE_UNITS)) yield;
      if (typeof item === 'object') yield* checkDepthInSteps(work, item, limit - 1);
    }
    return;
  }
  for (const key of yield* keysInSteps(value, work)) {
    if (work.spend(VALUE_UNITS)) yield;
    if (typeof value[key] === 'object') yield* checkDepthInSteps(work, value[key], limit - 1);
  }
}

/** Returns a copy whose members may be changed, in steps. */
export function* draftOf(work: Work, object: { readonly [key: string]: JsonValue | undefined }): Steps<Draft> {
  if (work === UNBOUNDED_WORK) return { ...object };
  const keys = yield* keysInSteps(object, work);
  if (keys.length <= FEW_KEYS) return { ...object };
  work.reserve(keys.length * MEMBER_BYTES);
  const draft: Draft = {};
  for (const key of keys) {
    if (work.spend(COPY_UNITS)) yield;
    setOwnMember(draft, key, object[key]);
  }
  return draft;
}

/** Number of members up to which a copy takes next to no time. */
const FEW_KEYS = 64;
/** Units of work to copy a member of a large object, and the bytes of its place in a table that is half full. */
const COPY_UNITS = 4;
const MEMBER_BYTES = 64;
