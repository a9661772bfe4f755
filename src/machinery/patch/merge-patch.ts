/**
 * JSON Merge Patch, RFC 7386.
 *
 * @module
 */
import {
  atOnce,
  equalJson,
  isJsonObject,
  keysInSteps,
  ownMember,
  setOwnMember,
  UNBOUNDED_WORK,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import { jsonTypeName } from '../schema/read/decode-error.js';
import { malformed } from './patch-error.js';
import { checkDepth, checkDepthInSteps, draftOf, type Draft } from './values.js';

/**
 * Checks that a body is a merge patch, which must be an object. Its depth is checked when it is applied.
 *
 * @throws PatchError 400
 */
export function decodeMergePatch(value: JsonValue): JsonObject {
  if (value === null) throw malformed('Invalid JSON Patch');
  if (!isJsonObject(value))
    throw malformed(
      `error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`,
    );
  return value;
}

/**
 * Returns the document with a patch applied: objects are merged, other values are replaced, null deletes. Null also
 * deletes inside objects that the patch creates; it stays only in lists.
 *
 * Does not change its arguments; the result shares unchanged parts with both.
 *
 * @throws PatchError 400 when the patch is not an object, or is nested too deeply
 */
export function applyMergePatch(document: JsonValue, patch: JsonValue): JsonValue {
  return atOnce(mergePatchSteps(UNBOUNDED_WORK, document, patch));
}

/** Like {@link applyMergePatch}, in steps that can pause. */
export function* mergePatchSteps(work: Work, document: JsonValue, patch: JsonValue): Steps<JsonValue> {
  const changes = decodeMergePatch(patch);
  yield* checkDepthInSteps(work, changes);
  return yield* mergeSteps(work, document, changes);
}

/** Units of work of one change. */
const UNITS_PER_CHANGE = 3;

/** Applies an object patch by the algorithm of RFC 7386, section 2. */
function* mergeSteps(work: Work, target: JsonValue | undefined, patch: JsonObject): Steps<JsonObject> {
  const merged = isJsonObject(target) ? yield* draftOf(work, target) : {};
  for (const key of yield* keysInSteps(patch, work)) {
    const change = patch[key];
    if (change === null) delete merged[key];
    else if (isJsonObject(change)) setOwnMember(merged, key, yield* mergeSteps(work, ownMember(merged, key), change));
    else if (change !== undefined) setOwnMember(merged, key, change);
    if (work.spend(UNITS_PER_CHANGE)) yield;
  }
  return merged;
}

/**
 * Returns the patch that changes `from` to `to`. A null in `to` (outside of lists) cannot be expressed: the patch
 * deletes the member.
 *
 * @throws PatchError 400 when an argument is nested too deeply
 */
export function createMergePatch(from: JsonObject, to: JsonObject): JsonObject {
  checkDepth(from);
  checkDepth(to);
  return difference(from, to);
}

function difference(from: JsonObject, to: JsonObject): JsonObject {
  const patch: Draft = {};
  for (const key of Object.keys(from)) if (ownMember(to, key) === undefined) setOwnMember(patch, key, null);
  for (const key of Object.keys(to)) {
    const wanted = to[key];
    const present = ownMember(from, key);
    if (wanted === undefined || equalJson(present, wanted)) continue;
    setOwnMember(patch, key, isJsonObject(present) && isJsonObject(wanted) ? difference(present, wanted) : wanted);
  }
  return patch;
}
