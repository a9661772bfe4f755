import type { ResourceClient } from '../../client/index.js';
import type { ObjectMeta } from '../../foundation/index.js';
import { ignoring } from '../runtime/failures.js';

/** An object whose finalizers a controller keeps. */
interface Finalized {
  readonly metadata: ObjectMeta;
}

/** Returns whether an object waits for the removal of a finalizer. */
export const isWaitingFor = ({ metadata }: Finalized, finalizer: string): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(finalizer);

/** Returns whether an object should get a finalizer: it lacks it, and is not being deleted. */
export const lacks = ({ metadata }: Finalized, finalizer: string): boolean =>
  metadata.deletionTimestamp === undefined && !(metadata.finalizers ?? []).includes(finalizer);

/**
 * Adds or removes a finalizer. Does nothing when the object was changed or deleted meanwhile: the event of that change
 * enqueues it again.
 */
export async function editFinalizers<Item extends Finalized, Input>(
  client: ResourceClient<Item, Input>,
  object: Item,
  edit: (finalizers: readonly string[]) => readonly string[],
): Promise<void> {
  const { metadata } = object;
  const finalizers = [...edit(metadata.finalizers ?? [])];
  await ignoring(client.update({ ...object, metadata: { ...metadata, finalizers } }), 'NotFound', 'Conflict');
}
