import { equalJson, type JsonObject, type ObjectMeta } from '../../foundation/index.js';
import type { AnyObject } from '../runtime/served-kinds.js';

/** Returns whether a change of an object runs it. `old` is undefined for an object that appears. */
export type Change<Item> = (object: Item, old: Item | undefined) => boolean;

/**
 * The changes that run an object. An object that appears, and one whose deletion begins, always runs.
 *
 * - `exceptStatus`: any change except one of the status alone
 * - `generation`: a change of what the object asks for; for a kind without generations, of its metadata as well
 * - `labels`, `annotations`: a change of these
 * - `any`: each change
 */
export const changes = Object.freeze({
  any: () => true,
  exceptStatus: unlessNew((object, old) => !isSameExceptStatus(object, old)),
  generation: unlessNew((object, old) =>
    object.metadata.generation === undefined
      ? !isSameExceptStatus(object, old)
      : object.metadata.generation !== old.metadata.generation,
  ),
  labels: unlessNew((object, old) => !isSame(object.metadata.labels, old.metadata.labels)),
  annotations: unlessNew((object, old) => !isSame(object.metadata.annotations, old.metadata.annotations)),
}) satisfies Readonly<Record<string, Change<AnyObject>>>;

/** Returns a function that holds for an object that appears or whose deletion begins, and otherwise asks `changed`. */
function unlessNew(changed: (object: AnyObject, old: AnyObject) => boolean): Change<AnyObject> {
  return (object, old) => old === undefined || beginsDeletion(object, old) || changed(object, old);
}

const beginsDeletion = ({ metadata }: AnyObject, old: AnyObject): boolean =>
  metadata.deletionTimestamp !== undefined && old.metadata.deletionTimestamp === undefined;

/** Compares objects without status. A generation that stays says that the rest outside the metadata stays. */
function isSameExceptStatus(object: AnyObject, old: AnyObject): boolean {
  if (!isSame(lasting(object.metadata), lasting(old.metadata))) return false;
  if (object.metadata.generation !== undefined) return true;
  return isSame(withoutStatus(object), withoutStatus(old));
}

/** Returns metadata without the fields that change with each write. */
const lasting = (metadata: ObjectMeta): ObjectMeta => ({
  ...metadata,
  resourceVersion: undefined,
  managedFields: undefined,
});

const withoutStatus = (object: object): object => ({ ...object, metadata: undefined, status: undefined });

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (a !== undefined && b !== undefined && equalJson(a as JsonObject, b as JsonObject));
