import type { ObjectMeta } from '../../meta/object.js';
import { hasReason, retryOnConflict } from '../failures.js';
import type { AnyObject } from '../served-kinds.js';
import type { GraphNode } from './node.js';

/** The object of a node as the server has it; undefined when it is gone, or another has its name. */
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
 * Changes the metadata of an object, whoever else writes it at the same time.
 *
 * @param edit changes the metadata; false when there is nothing to change
 * @returns the object as written; undefined when it is gone or nothing was to be changed
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

/** An edit that takes out the references to owners. */
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

/** An edit that takes out a finalizer. */
export function withoutFinalizer(finalizer: string): (metadata: ObjectMeta) => boolean {
  return (metadata) => {
    if (metadata.finalizers?.includes(finalizer) !== true) return false;
    const after = metadata.finalizers.filter((name) => name !== finalizer);
    if (after.length === 0) delete metadata.finalizers;
    else metadata.finalizers = after;
    return true;
  };
}

/** An edit after which no owner has to wait for the object. */
export function withoutBlocking(metadata: ObjectMeta): boolean {
  let changed = false;
  for (const reference of metadata.ownerReferences ?? []) {
    if (reference.blockOwnerDeletion !== true) continue;
    reference.blockOwnerDeletion = false;
    changed = true;
  }
  return changed;
}
