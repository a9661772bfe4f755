import type { StructuralSchema } from '../../schema/structural.js';
import type { JsonObject } from '../../meta/json.js';
import type { Draft } from '../values.js';

/** What a difference is made of. */
export interface DiffOptions {
  /** Say in which order the items of changed lists stand (`$setElementOrder`). */
  readonly setsOrder: boolean;
  /** Leave out what is new or different. */
  readonly onlyDeletions: boolean;
  /** Leave out what is gone. */
  readonly ignoresDeletions: boolean;
}

/** How differences are made; handed down, because maps hold lists and lists hold maps. */
export interface Differ {
  readonly options: DiffOptions;
  /** The patch between two maps, empty when there is nothing to say. `retainsKeys`: name the members that stay. */
  diffMap(
    original: JsonObject,
    modified: JsonObject,
    schema: StructuralSchema | undefined,
    retainsKeys: boolean,
  ): Draft;
}
