import type { JsonObject, Steps, Work } from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';

/** Merges patches. Passed as a parameter, because maps contain lists and lists contain maps. */
export interface Merger {
  /**
   * The operands of the merge.
   *
   * - `apply`: a patch into an object. Directives are applied, and nulls without a member to delete are dropped.
   * - `combine`: a patch into another patch, to combine both. Directives and nulls stay for the later application.
   */
  readonly mode: 'apply' | 'combine';
  /** Counts what the merge does, and pauses it. */
  readonly work: Work;
  /** Returns a new map with a patch merged into it. Members that the patch does not mention are shared. */
  mergeMap(original: JsonObject, patch: JsonObject, schema: StructuralSchema | undefined): Steps<JsonObject>;
  /**
   * Counts a repeated change of a list item, which costs as much as the size of the item.
   *
   * @throws PatchError 413 when the limit is exceeded
   */
  countRepeatedMerge(item: JsonObject): void;
}
