import {
  atOnce,
  goValue,
  isJsonObject,
  jsonText,
  ownMember,
  UNBOUNDED_WORK,
  type JsonObject,
} from '../../../foundation/index.js';
import type { StructuralSchema } from '../../schema/define/structural.js';
import { conflicting } from '../patch-error.js';
import { checkDepth } from '../values.js';
import { haveConflicts } from './conflicts.js';
import { MapDiffer } from './diff-map.js';
import { createMerger } from './merge-map.js';

/** Checks a created patch; false refuses it. */
export type Precondition = (patch: JsonObject) => boolean;

/** Options of {@link createThreeWayMergePatch}. */
export interface ThreeWayOptions {
  /** Overwrites fields that others have changed since `original`. If false, these fields are conflicts. */
  readonly overwrite: boolean;
  readonly preconditions?: readonly Precondition[] | undefined;
}

const everything = new MapDiffer({ setsOrder: true, onlyDeletions: false, ignoresDeletions: false });
const additions = new MapDiffer({ setsOrder: true, onlyDeletions: false, ignoresDeletions: true });
const deletions = new MapDiffer({ setsOrder: true, onlyDeletions: true, ignoresDeletions: false });
const plain = new MapDiffer({ setsOrder: false, onlyDeletions: false, ignoresDeletions: false });

/** Returns a precondition that refuses patches with a field of the object, such as `kind`. */
export function requireKeyUnchanged(key: string): Precondition {
  return (patch) => ownMember(patch, key) === undefined;
}

/** Returns a precondition that refuses patches with a field of the metadata, such as `name`. */
export function requireMetadataKeyUnchanged(key: string): Precondition {
  return ({ metadata }) => !isJsonObject(metadata) || ownMember(metadata, key) === undefined;
}

/**
 * Returns the patch that changes `original` to `modified` with the same schema: null deletes members, `$patch: delete`
 * items, `$deleteFromPrimitiveList` scalars; `$setElementOrder` keeps the order, `$retainKeys` names the members that
 * stay in unions.
 *
 * It cannot express nulls in `modified`, nor two items of a list with the same key.
 *
 * @throws PatchError 409 when a precondition fails; 400 for documents nested too deeply; 422 and 500 as
 * {@link strategicMergePatch}
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
 * Returns the patch of a client-side apply: `current` gets the fields of `modified`, loses the fields of `original`
 * (the last applied configuration) that `modified` does not have, and retains the rest.
 *
 * @throws PatchError 409 when a precondition fails, or without `overwrite` when a field was changed in two ways since
 * `original`; 400 for documents nested too deeply; 422 and 500 as {@link strategicMergePatch}
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
  const patch = atOnce(createMerger('combine', UNBOUNDED_WORK).mergeMap(deleted, added, schema));
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

/** Kubernetes shows YAML; JSON is valid YAML. */
const shown = (patch: JsonObject): string => jsonText(patch, 2);
