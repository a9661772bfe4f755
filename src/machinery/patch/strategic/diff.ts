import type { JsonObject } from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import type { Draft } from '../values.js';

/** Options of a difference. */
export interface DiffOptions {
  /** Adds the order of the items in changed lists (`$setElementOrder`). */
  readonly setsOrder: boolean;
  /** Omits new and changed values. */
  readonly onlyDeletions: boolean;
  /** Omits removed values. */
  readonly ignoresDeletions: boolean;
}

/** Computes differences. Passed as a parameter, because maps contain lists and lists contain maps. */
export interface Differ {
  readonly options: DiffOptions;
  /**
   * Returns the patch between two maps; empty when they are equal.
   *
   * @param retainsKeys names the members that stay (`$retainKeys`)
   */
  diffMap(
    original: JsonObject,
    modified: JsonObject,
    schema: StructuralSchema | undefined,
    retainsKeys: boolean,
  ): Draft;
}
