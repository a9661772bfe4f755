import { appendAll, type JsonObject } from '../../../foundation/index.js';
import type { LabelSelector } from '../../../machinery/index.js';
import { hasReason } from '../../runtime/failures.js';
import type { InformedObject } from '../../runtime/informer-cache.js';
import { BY_CONTROLLER, controllerReference, orphansOf, type Owner } from '../../runtime/controller-ref.js';

/** An informer with the index `byController`. */
export interface Dependents<Item> {
  find(index: string, value: string): Item[];
}

/** The requests by which a claim checks its owner and changes the owner references of objects. */
export interface ClaimRequests<Item> {
  /** Reads the owner, not from a cache. @throws ApiError 404 */
  readonly currentOwner: () => Promise<InformedObject>;
  /** Changes an object by a strategic merge patch. @returns the changed object */
  readonly patch: (object: Item, patch: JsonObject) => Promise<Item>;
}

/** The objects that {@link claim} claims, and their new owner. */
export interface Claim<Item> extends ClaimRequests<Item> {
  readonly owner: Owner;
  readonly selector: LabelSelector;
  readonly dependents: Dependents<Item>;
  /** Whether the owner may control a matching object, such as by its name. Default true. */
  readonly accepts?: ((object: Item) => boolean) | undefined;
}

/**
 * Returns the objects that an owner controls and selects. Adopts orphans that match the selector, unless they or the
 * owner are being deleted; releases the owner's objects that no longer match.
 *
 * @throws ApiError when an adoption or a release fails, unless the object or the owner is gone
 */
export async function claim<Item extends InformedObject>(options: Claim<Item>): Promise<Item[]> {
  const { owner, selector, dependents, accepts = () => true } = options;
  const { uid = '', namespace = '', deletionTimestamp } = owner.metadata;
  const matches = (object: Item): boolean => selector.matches(object.metadata.labels) && accepts(object);
  const claimed: Item[] = [];
  for (const object of dependents.find(BY_CONTROLLER, uid)) {
    if (matches(object)) claimed.push(object);
    else if (deletionTimestamp === undefined) await release(object, uid, options);
  }
  if (deletionTimestamp !== undefined) return claimed;
  const orphans = dependents
    .find(BY_CONTROLLER, orphansOf(namespace))
    .filter((object) => object.metadata.deletionTimestamp === undefined && matches(object));
  if (orphans.length > 0 && (await mayAdopt(owner, options)))
    for (const orphan of orphans) appendAll(claimed, await adopt(owner, orphan, options));
  return claimed;
}

/** Returns whether an owner still is the object in the cache, and is not being deleted. */
async function mayAdopt<Item>({ metadata }: Owner, { currentOwner }: ClaimRequests<Item>): Promise<boolean> {
  try {
    const current = await currentOwner();
    return current.metadata.uid === metadata.uid && current.metadata.deletionTimestamp === undefined;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false;
    throw error;
  }
}

/** The uid in a patch is a precondition: it fails for another object with the same name. */
async function adopt<Item extends InformedObject>(
  owner: Owner,
  object: Item,
  { patch }: ClaimRequests<Item>,
): Promise<Item[]> {
  const { uid } = object.metadata;
  try {
    return [await patch(object, { metadata: { uid, ownerReferences: [controllerReference(owner)] } })];
  } catch (error) {
    if (hasReason(error, 'NotFound')) return [];
    throw error;
  }
}

async function release<Item extends InformedObject>(
  object: Item,
  ownerUid: string,
  { patch }: ClaimRequests<Item>,
): Promise<void> {
  const { uid } = object.metadata;
  try {
    await patch(object, { metadata: { uid, ownerReferences: [{ $patch: 'delete', uid: ownerUid }] } });
  } catch (error) {
    // The object is gone, or was replaced by another one.
    if (!hasReason(error, 'NotFound') && !hasReason(error, 'Invalid') && !hasReason(error, 'Conflict')) throw error;
  }
}
