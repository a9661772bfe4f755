/**
 * Strategic merge patch: a merge patch that merges lists by key or as sets, according to the schema.
 *
 * Source: the Kubernetes page "Strategic Merge Patch", the design proposals for `$setElementOrder` and `$retainKeys`,
 * and the behaviour of release 1.31.
 *
 * @module
 */
import {
  atOnce,
  isJsonObject,
  UNBOUNDED_WORK,
  type JsonObject,
  type JsonValue,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { jsonTypeName } from '../../schema/read/decode-error.js';
import { malformed } from '../patch-error.js';
import { checkDepthInSteps } from '../values.js';
import { createMerger } from './merge-map.js';

/**
 * Checks that a body is a strategic merge patch, which must be an object. Its depth is checked when it is applied.
 *
 * @throws PatchError 400
 */
export function decodeStrategicMergePatch(value: JsonValue): JsonObject {
  if (value === null) return {};
  if (!isJsonObject(value))
    throw malformed(`json: cannot unmarshal ${jsonTypeName(value)} into Go value of type map[string]interface {}`);
  return value;
}

/**
 * Returns the object with a patch applied. `schema` describes the whole object; unknown fields are replaced.
 *
 * Does not change its arguments; the result shares unchanged parts with both.
 *
 * @throws PatchError 413 when the patch changes the same items too often; 400 when it is not an object, is nested too
 * deeply, or has an invalid directive; 422 for lists of lists; 500, as in Kubernetes, when it does not match the
 * schema: no merge key, unknown directives, wrong types
 */
export function strategicMergePatch(original: JsonObject, patch: JsonValue, schema: StructuralSchema): JsonObject {
  return atOnce(strategicMergeSteps(UNBOUNDED_WORK, original, patch, schema));
}

/** Like {@link strategicMergePatch}, in steps that can pause. */
export function* strategicMergeSteps(
  work: Work,
  original: JsonObject,
  patch: JsonValue,
  schema: StructuralSchema,
): Steps<JsonObject> {
  const changes = decodeStrategicMergePatch(patch);
  yield* checkDepthInSteps(work, changes);
  return yield* createMerger('apply', work).mergeMap(original, changes, schema);
}
