/**
 * Patches: JSON Patch (RFC 6902), JSON Merge Patch (RFC 7386) and strategic merge patch. Pure functions on JSON values; their
 * arguments are never changed.
 *
 * @module
 */
export { applyJsonPatch, defaultJsonPatchLimits, type JsonPatchLimits } from './json-patch.js';
export { createJsonPatch } from './json-diff.js';
export {
  decodeJsonPatch,
  decodeJsonPatchSteps,
  type DecodedJsonPatch,
  type JsonPatchOperation,
} from './json-patch-decode.js';
export { applyMergePatch, createMergePatch } from './merge-patch.js';
export { PatchError } from './patch-error.js';
export { patchTypeOf, patchTypes, type PatchType, type PreparedPatch } from './patch-types.js';
export {
  createThreeWayMergePatch,
  createTwoWayMergePatch,
  requireKeyUnchanged,
  requireMetadataKeyUnchanged,
  type Precondition,
  type ThreeWayOptions,
} from './strategic/create-patch.js';
export { strategicMergePatch } from './strategic/strategic-merge-patch.js';
export { MAX_PATCH_DEPTH } from './values.js';
