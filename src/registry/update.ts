import { errors } from '../meta/api-error.js';
import { FieldError } from '../meta/field-error.js';
import { equalJson, type JsonObject } from '../meta/json.js';
import type { ApiObject, StoredObject } from '../meta/object.js';
import { StorageError, type StorageRecord } from '../storage/storage.js';
import type { RequestContext } from './context.js';
import { createObject } from './create.js';
import { isLastFinalizerGone, remove } from './delete.js';
import { transientRecord } from './record-codec.js';
import { objectResourceVersion } from './resource-version.js';
import { nextGeneration, resetForUpdate } from './status.js';
import type { ResourceStore, WriteOptions } from './store.js';
import type { SubresourceStrategy } from './strategy.js';
import { canonicalize, dedupOwners, validateChange } from './validation.js';

/**
 * Makes the new object of the old one, or of none where the kind may be created by an update. Called again with the
 * present object when another write came between, unless the new object names a resourceVersion. Must return an object of
 * its own.
 */
export type UpdateTransform = (old: StoredObject | undefined) => ApiObject | Promise<ApiObject>;

/** Options of an update. */
export interface UpdateOptions extends WriteOptions {
  /** Which part of the object is written; absent: the main resource. */
  readonly subresource?: SubresourceStrategy | undefined;
  /** A missing object is created, whatever the strategy says (server-side apply). */
  readonly createMissing?: boolean | undefined;
  /** Uid that the present object must have, as a precondition of the caller: another one, or no object, is a conflict. Absent or empty: any. */
  readonly uid?: string | undefined;
  /** A version in the object that is not the present one ends the update; else the transform runs again (patches). Default true. */
  readonly conflictEnds?: boolean | undefined;
}

/** What came of an update. */
export interface UpdateOutcome {
  readonly record: StorageRecord;
  readonly created: boolean;
}

/** How often a patch is made again when other writes came between, as in the production system. */
const PATCH_RETRIES = 5;
/** The same for an update that is bound to no version: it only ends so that it ends. */
const UPDATE_RETRIES = 64;

/** Replaces an object; see {@link ResourceStore.update}. */
export async function updateObject(
  store: ResourceStore,
  context: RequestContext,
  namespace: string,
  name: string,
  transform: UpdateTransform,
  options: UpdateOptions,
): Promise<UpdateOutcome> {
  const key = store.info.key(namespace, name);
  const retries = options.conflictEnds === false ? PATCH_RETRIES : UPDATE_RETRIES;
  for (let attempt = 0; ; attempt += 1) {
    const { record } = await store.environment.storage.get(key);
    const old = record === undefined ? undefined : store.read(record);
    checkUid(store, name, options.uid, old?.metadata.uid ?? '');
    if (record === undefined || old === undefined) {
      if (!mayCreate(store, options)) throw errors.notFound(store.info, name);
      return createByUpdate(store, context, namespace, name, transform, options);
    }
    const object = await transform(old);
    const bound = checkVersion(store, object, old, name);
    try {
      return { record: await replace(store, context, record, old, object, options), created: false };
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (error.code !== 'Conflict' && error.code !== 'KeyNotFound') throw error;
      // What is gone now is answered by the next attempt as what was never there.
      const lost = bound && error.code === 'Conflict' && options.conflictEnds !== false;
      if (lost || attempt === retries) throw errors.modified(store.info, name);
    }
  }
}

const mayCreate = (store: ResourceStore, options: UpdateOptions): boolean =>
  options.subresource === undefined &&
  (options.createMissing === true || store.info.definition.strategy?.allowCreateOnUpdate === true);

async function createByUpdate(
  store: ResourceStore,
  context: RequestContext,
  namespace: string,
  name: string,
  transform: UpdateTransform,
  options: UpdateOptions,
): Promise<UpdateOutcome> {
  const object = await transform(undefined);
  // A version that cannot be read ends the write; any other one says nothing about an object that is not there.
  objectResourceVersion(object.metadata.resourceVersion);
  delete object.metadata.resourceVersion;
  return { record: await createObject(store, context, namespace, object, options), created: true };
}

/** Checks the precondition on the uid. @throws ApiError 409 */
function checkUid(store: ResourceStore, name: string, wanted: string | undefined, found: string): void {
  if (wanted === undefined || wanted === '' || wanted === found) return;
  throw errors.preconditionFailed(store.info, name, 'UID', wanted, found);
}

/**
 * Checks the resourceVersion of the new object against the old.
 *
 * @returns whether the update is bound to that version
 * @throws ApiError 409 for another version, 422 where the kind needs one, 500 for one that is not a number
 */
function checkVersion(store: ResourceStore, object: ApiObject, old: StoredObject, name: string): boolean {
  const version = objectResourceVersion(object.metadata.resourceVersion);
  if (version === 0) {
    if (store.info.definition.strategy?.allowUnconditionalUpdate ?? true) return false;
    // Kubernetes names the resource here, not the kind.
    throw errors.invalid({ group: store.info.group, kind: store.info.resource }, name, [
      new FieldError('Invalid', 'metadata.resourceVersion', 0n, 'must be specified for an update'),
    ]);
  }
  if (version !== Number(old.metadata.resourceVersion)) throw errors.modified(store.info, name);
  return true;
}

/** Takes from the old object what no writer may change. */
function keepSystemFields(object: ApiObject, old: StoredObject): void {
  const { metadata } = object;
  const before = old.metadata;
  if ((metadata.uid ?? '') === '' && before.uid !== undefined) metadata.uid = before.uid;
  if (before.generation === undefined) delete metadata.generation;
  else metadata.generation = before.generation;
  if (before.creationTimestamp !== undefined) metadata.creationTimestamp = before.creationTimestamp;
  if (before.namespace !== undefined) metadata.namespace = before.namespace;
  delete metadata.selfLink;
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  if (metadata.managedFields?.length === 0) delete metadata.managedFields;
}

async function replace(
  store: ResourceStore,
  context: RequestContext,
  record: StorageRecord,
  old: StoredObject,
  object: ApiObject,
  options: UpdateOptions,
): Promise<StorageRecord> {
  const { info } = store;
  const { strategy } = info.definition;
  keepSystemFields(object, old);
  object.metadata.resourceVersion = old.metadata.resourceVersion ?? '';
  if (options.subresource === undefined) {
    resetForUpdate(info, object, old);
    strategy?.prepareForUpdate?.(object, old, context);
  } else options.subresource.prepareForUpdate(object, old, context);
  const generation = nextGeneration(info, object, old);
  if (generation !== undefined) object.metadata.generation = generation;
  dedupOwners(object, context);
  validateChange(info, object, old, context, options.subresource);
  canonicalize(info, object, context);
  if (options.admit !== undefined) await options.admit(object as StoredObject, old);
  if (isLastFinalizerGone(info, object as StoredObject)) return removeInUpdate(store, record, old, object, options);
  if (equalJson(object as JsonObject, old)) return record;
  if (options.dryRun === true) return transientRecord(record.key, object, record.modRevision);
  return store.overwrite(record, object);
}

/**
 * The change took away what the end of the object was waiting for: the object goes with it. Watchers see the object as
 * it was stored last; the caller gets it as it asked.
 */
async function removeInUpdate(
  store: ResourceStore,
  record: StorageRecord,
  old: StoredObject,
  object: ApiObject,
  options: UpdateOptions,
): Promise<StorageRecord> {
  const removed = await remove(store, record, old, options);
  return transientRecord(record.key, object, removed.modRevision);
}
