import type { JsonObject } from '../../meta/json.js';
import type { StructuralSchema } from '../../schema/structural.js';

/** How patches are merged; handed down, because maps hold lists and lists hold maps. */
export interface Merger {
  /**
   * What is merged into what.
   *
   * - `apply`: a patch into an object. Directives are carried out, and nulls with nothing to delete are gone.
   * - `combine`: a patch into another patch, to have both in one. Directives and nulls are kept for the one who applies it.
   */
  readonly mode: 'apply' | 'combine';
  /** A map with a patch merged into it, as a new map. Members that the patch does not speak of are shared. */
  mergeMap(original: JsonObject, patch: JsonObject, schema: StructuralSchema | undefined): JsonObject;
  /**
   * Counts a list item that the patch has changed already and changes once more: each time costs as much as the item is large.
   *
   * @throws PatchError 413 when it is too much
   */
  mergeAgain(item: JsonObject): void;
}
