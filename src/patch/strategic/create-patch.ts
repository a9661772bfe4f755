import { ownMember } from '../../encoding/own-property.js';
import { isJsonObject, type JsonObject } from '../../meta/json.js';
import type { StructuralSchema } from '../../schema/structural.js';
import { goValue } from '../go-value.js';
import { conflicting } from '../patch-error.js';
import { checkDepth } from '../values.js';
import { haveConflicts } from './conflicts.js';
import { createDiffer } from './diff-map.js';
import { createMerger } from './merge-map.js';

/** Looks at a patch that has been made; false refuses it. */
export type Precondition = (patch: JsonObject) => boolean;

/** How {@link createThreeWayMergePatch} decides. */
export interface ThreeWayOptions {
  /** Change also what somebody else has changed since `original`. Without it, that is a conflict. */
  readonly overwrite: boolean;
  readonly preconditions?: readonly Precondition[];
}

const everything = createDiffer({ setsOrder: true, onlyDeletions: false, ignoresDeletions: false });
const additions = createDiffer({ setsOrder: true, onlyDeletions: false, ignoresDeletions: true });
const deletions = createDiffer({ setsOrder: true, onlyDeletions: true, ignoresDeletions: false });
const plain = createDiffer({ setsOrder: false, onlyDeletions: false, ignoresDeletions: false });

/** Refuses patches that speak of a field of the object, such as `kind`. */
export function requireKeyUnchanged(key: string): Precondition {
  return (patch) => ownMember(patch, key) === undefined;
}

/** Refuses patches that speak of a field of the metadata, such as `name`. */
export function requireMetadataKeyUnchanged(key: string): Precondition {
  return ({ metadata }) => !isJsonObject(metadata) || ownMember(metadata, key) === undefined;
}

/**
 * The patch that makes `modified` of `original` when applied with the same schema: nulls delete members, `$patch: delete`
 * items, `$deleteFromPrimitiveList` scalars; `$setElementOrder` keeps the order, `$retainKeys` says what stays in unions.
 *
 * What it cannot express: nulls within `modified`, and two items with one key in a list.
 *
 * @throws PatchError 409 when a precondition fails; 400 for documents nested too deep; 422 and 500 as {@link strategicMergePatch}
 */
export function createTwoWayMergePatch(
  original: JsonObject,
  modified: JsonObject,
  schema: StructuralSchema,
  preconditions: readonly Precondition[] = [],
): JsonObject {
  checkDepth(original);
  checkDepth(modified);
  const patch = everything.diffMap(original, modified, schema, false);
  check(patch, preconditions);
  return patch;
}

/**
 * The patch of a client-side apply: `current` gets what `modified` has, loses what `original` (the last applied) had and
 * `modified` has not, and keeps the rest.
 *
 * @throws PatchError 409 when a precondition fails, or without `overwrite` when a field was changed in two ways since
 * `original`; 400 for documents nested too deep; 422 and 500 as {@link strategicMergePatch}
 */
export function createThreeWayMergePatch(
  original: JsonObject,
  modified: JsonObject,
  current: JsonObject,
  schema: StructuralSchema,
  { overwrite, preconditions = [] }: ThreeWayOptions,
): JsonObject {
  for (const document of [original, modified, current]) checkDepth(document);
  const added = additions.diffMap(current, modified, schema, false);
  const deleted = deletions.diffMap(original, modified, schema, false);
  const patch = createMerger('combine').mergeMap(deleted, added, schema);
  check(patch, preconditions);
  if (!overwrite) {
    const changed = plain.diffMap(original, current, schema, false);
    if (haveConflicts(patch, changed, schema)) {
      throw conflicting(
        `patch:\n${shown(patch)}\nconflicts with changes made from original to current:\n${shown(changed)}\n`,
      );
    }
  }
  return patch;
}

function check(patch: JsonObject, preconditions: readonly Precondition[]): void {
  for (const precondition of preconditions)
    if (!precondition(patch)) throw conflicting(`precondition failed for: ${goValue(patch)}`);
}

/** Production shows YAML; JSON is YAML. */
const shown = (patch: JsonObject): string => JSON.stringify(patch, null, 2);
