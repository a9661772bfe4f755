/**
 * Strategic merge patch: a merge patch that knows, from the schema, which lists are merged by key or as sets.
 *
 * Source: the production system's page "Strategic Merge Patch", its design proposals for `$setElementOrder` and
 * `$retainKeys`, and what its 1.31 release does.
 *
 * @module
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../meta/json.js';
import type { StructuralSchema } from '../../schema/structural.js';
import { goJsonKind } from '../go-value.js';
import { malformed } from '../patch-error.js';
import { checkDepth } from '../values.js';
import { createMerger } from './merge-map.js';

/**
 * Checks that a body is a strategic merge patch: an object.
 *
 * @throws PatchError 400
 */
export function decodeStrategicMergePatch(value: JsonValue): JsonObject {
  if (value === null) return {};
  if (!isJsonObject(value))
    throw malformed(`json: cannot unmarshal ${goJsonKind(value)} into Go value of type map[string]interface {}`);
  checkDepth(value);
  return value;
}

/**
 * The object with a patch applied. `schema` is that of the whole object; what it does not know is replaced.
 *
 * Neither argument is changed; the result shares with both what the patch leaves as it is.
 *
 * @throws PatchError 413 when it changes the same items too often; 400 when the patch is not an object, is nested too deep, or a directive has the wrong form; 422 for lists
 * of lists; 500, as production has it, when the patch does not fit the schema: no merge key, unknown directives, wrong types
 */
export function strategicMergePatch(original: JsonObject, patch: JsonValue, schema: StructuralSchema): JsonObject {
  return createMerger('apply').mergeMap(original, decodeStrategicMergePatch(patch), schema);
}
