import type { ObjectMeta } from '../../foundation/index.js';
import { hasReason, retryOnConflict } from '../runtime/failures.js';
import type { AnyObject } from '../runtime/served-kinds.js';
import type { GraphNode } from './node.js';

/** Returns the current object of a node, or undefined when it is gone or its name belongs to another object. */
export async function readLive(node: GraphNode): Promise<AnyObject | undefined> {
  try {
    const live = await node.kind?.client.namespace(node.namespace).get(node.name);
    return live?.metadata.uid === node.uid ? live : undefined;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

/**
 * Updates the metadata of an object and retries on conflicts.
 *
 * @param edit modifies the metadata in place; returns false when nothing changes
 * @returns the updated object; undefined when it is gone or unchanged
 */
export function editMetadata(node: GraphNode, edit: (metadata: ObjectMeta) => boolean): Promise<AnyObject | undefined> {
  return retryOnConflict(async () => {
    const live = await readLive(node);
    if (live === undefined || !edit(live.metadata)) return undefined;
    try {
      return await node.kind?.client.namespace(node.namespace).update(live);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  });
}

/** Returns an edit that removes the references to owners. */
export function withoutOwners(uids: ReadonlySet<string>): (metadata: ObjectMeta) => boolean {
  return (metadata) => {
    const before = metadata.ownerReferences ?? [];
    const after = before.filter(({ uid }) => !uids.has(uid));
    if (after.length === before.length) return false;
    if (after.length === 0) delete metadata.ownerReferences;
    else metadata.ownerReferences = after;
    return true;
  };
}

/** Returns an edit that removes a finalizer. */
export function withoutFinalizer(finalizer: string): (metadata: ObjectMeta) => boolean {
  return (metadata) => {
    if (metadata.finalizers?.includes(finalizer) !== true) return false;
    const after = metadata.finalizers.filter((name) => name !== finalizer);
    if (after.length === 0) delete metadata.finalizers;
    else metadata.finalizers = after;
    return true;
  };
}

/** Edits the metadata so that the object blocks the deletion of no owner. Returns false when nothing changes. */
export function withoutBlocking(metadata: ObjectMeta): boolean {
  let changed = false;
  for (const reference of metadata.ownerReferences ?? []) {
    if (reference.blockOwnerDeletion !== true) continue;
    reference.blockOwnerDeletion = false;
    changed = true;
  }
  return changed;
}
