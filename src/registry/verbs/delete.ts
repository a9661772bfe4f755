import {
  cloneJson,
  equalJson,
  errors,
  FOREGROUND_FINALIZER,
  formatTime,
  nextInt64,
  ORPHAN_FINALIZER,
  parseTime,
  secondsAsMs,
  type ApiObject,
  type JsonObject,
  type StoredObject,
} from '../../foundation/index.js';
import { StorageError, type StorageRecord } from '../../storage/index.js';
import type { ResourceInfo } from '../definition/resource-info.js';
import { transientRecordFor } from '../records/record-codec.js';
import type { RequestContext } from '../store/context.js';
import { timed } from '../store/latency.js';
import { inStorage } from '../store/storage-step.js';
import type { ResourceStore } from '../store/store.js';

/** Treatment of the dependents of a deleted object by the garbage collector. */
export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground';

/** Options of a delete, already validated. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?:
    { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined } | undefined;
  /** The older spelling of {@link DeleteOptions.propagationPolicy}. */
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: PropagationPolicy | undefined;
  readonly dryRun?: boolean | undefined;
  /** Validating admission: refuses by throwing. */
  readonly admit?: ((old: StoredObject) => void | Promise<void>) | undefined;
}

/** The outcome of a delete. */
export interface DeleteOutcome {
  /** The last state of the removed object, or the current state of an object that is being deleted. */
  readonly record: StorageRecord;
  /** Whether the object was removed. */
  readonly deleted: boolean;
}

const MAX_ATTEMPTS = 64;

/**
 * Returns whether nothing delays the removal of an object that is being deleted any longer. The write that completes
 * the deletion also removes the object.
 */
export function isLastFinalizerGone(info: ResourceInfo, object: StoredObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  if (deletionTimestamp === undefined || (finalizers?.length ?? 0) > 0) return false;
  const { finalization } = info.strategy ?? {};
  if (finalization !== undefined) return finalization.isFinalized(object);
  return (deletionGracePeriodSeconds ?? 0) === 0;
}

/** Deletes an object, or marks it for deletion; see {@link ResourceStore.delete}. */
export async function deleteObject(
  store: ResourceStore,
  context: RequestContext,
  namespace: string,
  name: string,
  options: DeleteOptions,
): Promise<DeleteOutcome> {
  const { info, environment } = store;
  const key = info.key(namespace, name);
  for (let attempt = 1; ; attempt += 1) {
    const { record: found } = await timed(context, 'etcd', () => environment.storage.get(key));
    if (found === undefined) throw errors.notFound(info, name);
    const prepared = store.preparedOne(found, context.work);
    const record = prepared instanceof Promise ? await prepared : prepared;
    const reading = store.readFor(context.work, record);
    const old = reading instanceof Promise ? await reading : reading;
    checkPreconditions(info, old, options);
    const admitting = options.admit?.(old);
    if (admitting !== undefined) await admitting;
    try {
      const plan = planDeletion(info, context, old, options);
      if (plan.kind === 'pending') return { record, deleted: false };
      if (plan.kind === 'remove') return { record: await remove(store, context, record, old, options), deleted: true };
      const marked = await writeDeletionMark(store, context, record, plan.object, options);
      if (!plan.thenRemove) return { record: marked, deleted: false };
      return { record: await remove(store, context, marked, plan.object, options), deleted: true };
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (error.code === 'KeyNotFound') throw errors.notFound(info, name);
      if (error.code !== 'Conflict') throw error;
      if (attempt === MAX_ATTEMPTS) throw errors.modified(info, name);
    }
  }
}

/** @throws ApiError 409 when an object does not meet the preconditions of a delete */
export function checkPreconditions(info: ResourceInfo, old: StoredObject, options: DeleteOptions): void {
  if (options.preconditions === undefined) return;
  const { uid, resourceVersion } = options.preconditions;
  const name = old.metadata.name ?? '';
  if (info.strategy?.finalization !== undefined)
    return checkFinalizationPreconditions(info, name, old, options.preconditions);
  // Kubernetes names the kind, not the resource, in these two.
  const kind = { group: info.group, resource: info.kind };
  if (uid !== undefined && uid !== old.metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${old.metadata.uid}). The object might have been deleted and then recreated`;
    throw errors.conflict(kind, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${old.metadata.resourceVersion}). The object might have been modified`;
    throw errors.conflict(kind, name, why);
  }
}

/**
 * Checks the preconditions of a kind with its own finalization. Kubernetes checks them before the registry does, with
 * the texts of every other write.
 */
function checkFinalizationPreconditions(
  info: ResourceInfo,
  name: string,
  { metadata }: StoredObject,
  { uid, resourceVersion }: NonNullable<DeleteOptions['preconditions']>,
): void {
  if (uid !== undefined && uid !== metadata.uid)
    throw errors.preconditionFailed(info, name, 'UID', uid, metadata.uid ?? '');
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw errors.preconditionFailed(info, name, 'ResourceVersion', resourceVersion, metadata.resourceVersion ?? '');
  }
}

/** The effect of a delete on an object. */
export type DeletionPlan =
  /** The object is being deleted already, and this request changes nothing. */
  | { readonly kind: 'pending' }
  /** The object is marked for deletion, and stays or is removed afterwards. */
  | { readonly kind: 'update'; readonly object: ApiObject; readonly thenRemove: boolean }
  | { readonly kind: 'remove' };

/** Plans a delete in the two phases of the conventions document ("States and transitions"). Changes nothing. */
export function planDeletion(
  info: ResourceInfo,
  context: RequestContext,
  old: StoredObject,
  options: DeleteOptions,
): DeletionPlan {
  const { finalization } = info.strategy ?? {};
  if (finalization !== undefined) {
    if (old.metadata.deletionTimestamp === undefined) {
      const object = cloneJson(old) as ApiObject;
      object.metadata.deletionTimestamp = formatTime(context.clock.now());
      finalization.begin(object, context);
      return { kind: 'update', object, thenRemove: false };
    }
    if (!finalization.isFinalized(old)) return { kind: 'pending' };
  }
  // Only metadata changes, and its lists are replaced.
  const object: ApiObject = { ...(old as ApiObject), metadata: { ...old.metadata } };
  const grace = beginGracefulDeletion(info, context, object, options);
  if (grace === 'pending') return { kind: 'pending' };
  setPropagationFinalizers(object, options, info.strategy?.orphansDependents === true);
  const waits = (object.metadata.finalizers?.length ?? 0) > 0;
  if (grace === undefined && !waits) return { kind: 'remove' };
  if (grace === undefined) markForDeletion(context, object);
  return { kind: 'update', object, thenRemove: !waits && (grace ?? 0) === 0 };
}

/**
 * Starts or shortens the graceful deletion of an object.
 *
 * @returns the grace period in seconds, `pending` when nothing changes, or undefined when the kind has no graceful
 * deletion
 */
function beginGracefulDeletion(
  info: ResourceInfo,
  context: RequestContext,
  object: ApiObject,
  options: DeleteOptions,
): number | 'pending' | undefined {
  const { metadata } = object;
  const requested =
    options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0 ? 1 : options.gracePeriodSeconds;
  if (metadata.deletionTimestamp !== undefined) {
    const current = metadata.deletionGracePeriodSeconds ?? 0;
    if (current === 0) return undefined;
    if (requested === undefined || requested >= current) return 'pending';
    const started = (parseTime(metadata.deletionTimestamp) ?? context.clock.now()) - secondsAsMs(current);
    metadata.deletionTimestamp = formatTime(started + secondsAsMs(requested));
    metadata.deletionGracePeriodSeconds = requested;
    return requested;
  }
  const seconds = info.strategy?.gracePeriodSeconds?.(object, requested);
  if (seconds === undefined) return undefined;
  metadata.deletionTimestamp = formatTime(context.clock.now() + secondsAsMs(seconds));
  metadata.deletionGracePeriodSeconds = seconds;
  incrementGeneration(object);
  return seconds;
}

/** Marks an object that is removed as soon as its finalizers are gone. */
function markForDeletion(context: RequestContext, object: ApiObject): void {
  const { metadata } = object;
  const nowMs = context.clock.now();
  if (metadata.deletionTimestamp === undefined) incrementGeneration(object);
  if (metadata.deletionTimestamp === undefined || (parseTime(metadata.deletionTimestamp) ?? 0) > nowMs)
    metadata.deletionTimestamp = formatTime(nowMs);
  metadata.deletionGracePeriodSeconds = 0;
}

/** Increments the generation, where the kind counts it, so that controllers see the start of the deletion. */
function incrementGeneration(object: ApiObject): void {
  const { generation } = object.metadata;
  if (generation !== undefined && generation > 0) object.metadata.generation = nextInt64(generation);
}

function setPropagationFinalizers(object: ApiObject, options: DeleteOptions, orphansByDefault: boolean): void {
  const before = object.metadata.finalizers ?? [];
  const { orphanDependents, propagationPolicy } = options;
  const orphansUnasked =
    before.includes(ORPHAN_FINALIZER) || (orphansByDefault && !before.includes(FOREGROUND_FINALIZER));
  const orphan =
    orphanDependents ?? (propagationPolicy === undefined ? orphansUnasked : propagationPolicy === 'Orphan');
  const foreground =
    orphanDependents === undefined &&
    (propagationPolicy === undefined
      ? before.includes(FOREGROUND_FINALIZER) && !orphan
      : propagationPolicy === 'Foreground');
  const after = before.filter((finalizer) => finalizer !== ORPHAN_FINALIZER && finalizer !== FOREGROUND_FINALIZER);
  if (orphan) after.push(ORPHAN_FINALIZER);
  if (foreground) after.push(FOREGROUND_FINALIZER);
  if (after.length === 0 && before.length === 0) return;
  const known = new Set(before);
  if (after.length === before.length && after.every((finalizer) => known.has(finalizer))) return;
  if (after.length === 0) delete object.metadata.finalizers;
  else object.metadata.finalizers = after;
}

async function writeDeletionMark(
  store: ResourceStore,
  context: RequestContext,
  record: StorageRecord,
  object: ApiObject,
  options: DeleteOptions,
): Promise<StorageRecord> {
  if (options.dryRun === true)
    return equalJson(object as JsonObject, store.read(record))
      ? record
      : transientRecordFor(
          context.work,
          record.key,
          await store.writes.rehearsed(object, context.work),
          record.modRevision,
        );
  const written = await inStorage(context, 'GuaranteedUpdate etcd3', store, record.key, () =>
    store.writes.overwrite(record, object, { work: context.work, while: context.while }),
  );
  if (written.modRevision !== record.modRevision) context.written?.(written);
  return written;
}

/** Removes a record. Watchers get its last state at the revision of the delete. */
export async function remove(
  store: ResourceStore,
  context: RequestContext,
  record: StorageRecord,
  last: StoredObject | ApiObject,
  options: { readonly dryRun?: boolean | undefined },
): Promise<StorageRecord> {
  if (options.dryRun === true) return record;
  const object: ApiObject = { ...(last as ApiObject), metadata: { ...last.metadata } };
  const isUnchanged = last === record.decoded;
  const erase = (): Promise<StorageRecord> =>
    store.writes.erase(record, object, { isUnchanged, work: context.work, while: context.while });
  const erased = await inStorage(context, 'Delete etcd3', store, record.key, erase);
  context.written?.(erased);
  if (store.hooks?.afterDelete !== undefined) await store.hooks.afterDelete(object, context);
  return erased;
}
