/**
 * Patches: JSON Patch (RFC 6902), JSON Merge Patch (RFC 7386) and strategic merge patch. Pure functions on JSON values;
 * their arguments are never changed.
 *
 * @module
 */
export {
  decodeJsonPatch,
  type DecodedJsonPatch,
  type JsonPatchOperation,
} from '../machinery/patch/json-patch-decode.js';
export { createJsonPatch } from '../machinery/patch/json-diff.js';
export { applyJsonPatch, type JsonPatchLimits } from '../machinery/patch/json-patch.js';
export { applyMergePatch, createMergePatch } from '../machinery/patch/merge-patch.js';
export { PatchError } from '../machinery/patch/patch-error.js';
export {
  createThreeWayMergePatch,
  createTwoWayMergePatch,
  requireKeyUnchanged,
  requireMetadataKeyUnchanged,
  type Precondition,
  type ThreeWayOptions,
} from '../machinery/patch/strategic/create-patch.js';
export { strategicMergePatch } from '../machinery/patch/strategic/strategic-merge-patch.js';
