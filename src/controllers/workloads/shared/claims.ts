import { appendAll, inSlices, SharedWork, type JsonObject, type Steps, type Work } from '../../../foundation/index.js';
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
  /** Compiles the selector of the owner. */
  readonly selector: (work: Work) => Steps<LabelSelector>;
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
  const { owner } = options;
  const { uid = '' } = owner.metadata;
  const work = new SharedWork();
  const { claimed, foreign, orphans } = await inSlices(work, sortedOut(options, work));
  for (const object of foreign) await release(object, uid, options);
  if (orphans.length > 0 && (await mayAdopt(owner, options)))
    for (const orphan of orphans) appendAll(claimed, await adopt(owner, orphan, options));
  return claimed;
}

/** The objects that a claim is about. */
interface SortedOut<Item> {
  /** Those that the owner controls and selects. */
  readonly claimed: Item[];
  /** Those that it controls, and does not select. */
  readonly foreign: readonly Item[];
  /** Those that it selects, and nobody controls. */
  readonly orphans: readonly Item[];
}

/** Units of work to look at an object, besides the requirements of the selector. */
const OBJECT_UNITS = 4;

/** Compares the objects with the selector. An owner that is being deleted neither releases nor adopts. */
function* sortedOut<Item extends InformedObject>(
  { owner, selector, dependents, accepts = () => true }: Claim<Item>,
  work: Work,
): Steps<SortedOut<Item>> {
  const { uid = '', namespace = '', deletionTimestamp } = owner.metadata;
  const compiled = yield* selector(work);
  const units = OBJECT_UNITS + compiled.requirements.length;
  const matches = (object: Item): boolean => compiled.matches(object.metadata.labels) && accepts(object);
  const claimed: Item[] = [];
  const foreign: Item[] = [];
  for (const object of dependents.find(BY_CONTROLLER, uid)) {
    if (matches(object)) claimed.push(object);
    else if (deletionTimestamp === undefined) foreign.push(object);
    if (work.spend(units)) yield;
  }
  const orphans: Item[] = [];
  for (const object of deletionTimestamp === undefined ? dependents.find(BY_CONTROLLER, orphansOf(namespace)) : []) {
    if (object.metadata.deletionTimestamp === undefined && matches(object)) orphans.push(object);
    if (work.spend(units)) yield;
  }
  return { claimed, foreign, orphans };
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
