import {
  equalInSlices,
  errors,
  FieldError,
  noteLength,
  VerbatimValue,
  whenReady,
  type ApiObject,
  type StoredObject,
} from '../../foundation/index.js';
import { StorageError, type StorageRecord } from '../../storage/index.js';
import type { ResourceInfo } from '../definition/resource-info.js';
import type { SubresourceStrategy } from '../definition/strategy.js';
import { transientRecordFor } from '../records/record-codec.js';
import type { RequestContext } from '../store/context.js';
import { timed } from '../store/latency.js';
import { inStorage } from '../store/storage-step.js';
import type { ResourceStore } from '../store/store.js';
import { hookResult } from '../writes/hook-steps.js';
import { keepTimes } from '../writes/kept-times.js';
import type { AcceptedVersion, KeyTurn } from '../writes/key-turns.js';
import { nextGeneration, resetForUpdate } from '../writes/status.js';
import { canonicalize, deduplicateOwners, hookFailure, validateChange } from '../writes/validation.js';
import { finishing, type Begun, type FinishWrite } from '../writes/write-hooks.js';
import { createObject } from './create.js';
import { isLastFinalizerGone, remove } from './delete.js';
import { objectResourceVersion } from './resource-version.js';
import type { WriteOptions } from './write-options.js';

/**
 * Returns the new object for the current one, or for undefined when the update may create it. After a conflict with
 * another write it is called again with the current object, unless the new object has a resourceVersion. Must return a
 * new object.
 */
export type UpdateTransform = (old: StoredObject | undefined) => ApiObject | Promise<ApiObject>;

/** Options of an update. */
export interface UpdateOptions extends WriteOptions {
  /** Subresource to write; default the main resource. */
  readonly subresource?: SubresourceStrategy | undefined;
  /** Creates a missing object even if the strategy does not allow it (server-side apply). */
  readonly createMissing?: boolean | undefined;
  /** Precondition: the uid of the current object. Undefined or empty for any. */
  readonly uid?: string | undefined;
  /**
   * Whether a conflict fails an update with a resourceVersion. When false (patches), the update is retried. Default
   * true.
   */
  readonly failOnConflict?: boolean | undefined;
}

/** The result of an update. */
export interface UpdateOutcome {
  readonly record: StorageRecord;
  /** The object as written. */
  readonly object: StoredObject;
  /** The previous object; undefined when the update created it. */
  readonly old: StoredObject | undefined;
}

/** Maximum retries of a patch that conflicts with other writes, as in Kubernetes. */
const PATCH_RETRIES = 5;
/** Maximum retries of an update without a resourceVersion; ensures that it terminates. */
const UPDATE_RETRIES = 64;

/** The parameters of {@link updateObject}. */
interface Update {
  readonly store: ResourceStore;
  readonly context: RequestContext;
  readonly namespace: string;
  readonly name: string;
  readonly transform: UpdateTransform;
  readonly options: UpdateOptions;
}

/**
 * Replaces an object; see {@link ResourceStore.update}. Updates of an object that begin in this process take turns. A
 * conflict with another write restarts the whole sequence.
 */
export async function updateObject(update: Update): Promise<UpdateOutcome> {
  const { store, context, namespace, name, options } = update;
  const key = store.info.key(namespace, name);
  const turn = store.turns.of(key);
  const retries = options.failOnConflict === false ? PATCH_RETRIES : UPDATE_RETRIES;
  try {
    for (let attempt = 0; attempt <= retries; attempt += 1) {
      // A conversion may be a webhook, which is waited for at every step.
      const waiting = store.waitsForConversion ? undefined : turn.take();
      if (waiting !== undefined) {
        await waiting;
        context.work?.check?.();
      }
      const accepted = attempt === 0 ? turn.accepted : undefined;
      const outcome =
        accepted === undefined ? await updateOnce(update, key, turn) : await updateAccepted(accepted, update, turn);
      if (outcome !== undefined) return outcome;
    }
  } finally {
    turn.end();
  }
  throw errors.modified(store.info, name);
}

/**
 * Updates a version that is not durable yet. A write to it becomes durable after it or fails with it; every other outcome
 * waits until it is durable.
 *
 * @returns undefined when another write has changed the object meanwhile, or that version was never written
 */
async function updateAccepted(
  accepted: AcceptedVersion,
  update: Update,
  turn: KeyTurn,
): Promise<UpdateOutcome | undefined> {
  const { record } = accepted;
  try {
    const outcome = await updateOnce(update, record.key, turn, record);
    const isWrite = update.options.dryRun !== true && outcome?.record.modRevision !== record.modRevision;
    return outcome === undefined || isWrite || (await accepted.isWritten()) ? outcome : undefined;
  } catch (error) {
    // A write of its own that failed may have been made.
    if (turn.isAccepted || (await accepted.isWritten())) throw error;
    return undefined;
  }
}

/**
 * @param known the version to update; default that of the storage
 * @returns undefined when another write has changed the object meanwhile
 */
async function updateOnce(
  update: Update,
  key: string,
  turn: KeyTurn,
  known?: StorageRecord,
): Promise<UpdateOutcome | undefined> {
  const { store, context, name, transform, options } = update;
  const { info, environment } = store;
  let object: ApiObject | undefined;
  try {
    const found = known ?? (await timed(context, 'etcd', () => environment.storage.get(key))).record;
    const prepared = found === undefined ? undefined : store.preparedOne(found, context.work);
    const record = prepared instanceof Promise ? await prepared : prepared;
    if (record !== undefined) noteLength(context.work, record.text.length);
    const reading = record === undefined ? undefined : store.readFor(context.work, record);
    const old = reading instanceof Promise ? await reading : reading;
    checkUid(store, name, options.uid, old?.metadata.uid ?? '');
    if (record === undefined || old === undefined) {
      turn.end();
      return await createInstead(update);
    }
    const transformed = transform(old);
    object = transformed instanceof Promise ? await transformed : transformed;
    const pending = turn.endIfWaiting(options.mutate?.(object, old));
    if (pending !== undefined) await pending;
    const isBound = checkVersion(store, object, old, name);
    const loading = turn.endIfWaiting(info.load(object));
    if (loading !== undefined) await loading;
    const written = await changeWithHooks({ update, turn, record, object, old, isBound });
    return written === undefined ? undefined : { record: written, object: object as StoredObject, old };
  } catch (error) {
    throw object === undefined ? error : hookFailure(info, object, error);
  }
}

/** A change of a stored object. */
interface Change {
  readonly update: Update;
  readonly turn: KeyTurn;
  readonly record: StorageRecord;
  readonly object: ApiObject;
  readonly old: StoredObject;
  /** Whether the new object names the version that it replaces. */
  readonly isBound: boolean;
}

/** Returns whether the new object of a change stays in the storage. */
const isKept = ({ update: { store, options }, object }: Change): boolean =>
  options.dryRun !== true && !isLastFinalizerGone(store.info, object as StoredObject);

/**
 * Changes an object, between the hooks of its kind.
 *
 * @returns undefined when another write has changed the object meanwhile
 */
function changeWithHooks(change: Change): Promise<StorageRecord | undefined> {
  const isStored = (written: StorageRecord | undefined): boolean => written !== undefined && isKept(change);
  return finishing(change.turn.endIfWaiting(begin(change)), () => changeObject(change), isStored);
}

/** Prepares, checks and stores the new object; see {@link changeWithHooks}. */
function changeObject(change: Change): Promise<StorageRecord | undefined> {
  const { update, object, old } = change;
  const { store, context, options } = update;
  const { info } = store;
  const prepared = prepare(info, context, object, old, options.subresource);
  const pending = whenReady(prepared, () => validateChange(info, object, old, context, options.subresource));
  return pending instanceof Promise ? pending.then(() => admitChange(change)) : admitChange(change);
}

/** Runs validating admission on the valid object, and stores it; see {@link changeWithHooks}. */
function admitChange(change: Change): Promise<StorageRecord | undefined> {
  const { update, object, old } = change;
  const { store, context } = update;
  const admitted = (): Promise<StorageRecord | undefined> => {
    const keeping = keepTimes(object, old, context.work);
    return keeping === undefined ? admitComplete(change) : keeping.then(() => admitComplete(change));
  };
  const pending = canonicalize(store.info, object, context);
  return pending instanceof Promise ? pending.then(admitted) : admitted();
}

/** Runs validating admission on an object that has all that the server sets, and stores it. */
function admitComplete(change: Change): Promise<StorageRecord | undefined> {
  const { update, object, old } = change;
  const { options } = update;
  const isStored = (written: StorageRecord | undefined): boolean => written !== undefined && options.dryRun !== true;
  const admitting = change.turn.endIfWaiting(options.admit?.(object as StoredObject, old));
  return finishing(admitting, () => writeChange(change), isStored);
}

/**
 * Stores the new object of a change when it differs from the old one. Removing the last finalizer of an object that is
 * being deleted removes the object: watchers receive its last stored state, and the caller receives the state that it
 * sent.
 *
 * @returns undefined when another write has changed the object meanwhile
 */
async function writeChange({ update, turn, record, object, old, isBound }: Change): Promise<StorageRecord | undefined> {
  const { store, context, name, options } = update;
  const { key, modRevision } = record;
  const stored = object as StoredObject;
  try {
    // Both may call hooks and webhooks.
    if (options.dryRun === true || isLastFinalizerGone(store.info, stored)) turn.end();
    if (isLastFinalizerGone(store.info, stored))
      return await transientRecordFor(
        context.work,
        key,
        stored,
        (await remove(store, context, record, old, options)).modRevision,
      );
    if (options.dryRun === true)
      return (await equalInSlices(context.work, stored, old))
        ? record
        : await transientRecordFor(context.work, key, await store.writes.rehearsed(stored, context.work), modRevision);
    const overwrite = (): Promise<StorageRecord> =>
      store.writes.overwrite(record, stored, {
        work: context.work,
        while: context.while,
        accepted: (made) => turn.accept(made),
      });
    const written = await settling(turn, inStorage(context, 'GuaranteedUpdate etcd3', store, key, overwrite));
    if (written.modRevision !== modRevision) context.written?.(written);
    return written;
  } catch (error) {
    if (isBound && options.failOnConflict !== false && isConflict(error)) throw errors.modified(store.info, name);
    // The next attempt treats a deleted object as one that never existed.
    if (isConflict(error) || isGone(error)) return undefined;
    throw error;
  }
}

/** Waits for a write, and tells the updates that began with its version whether it has become durable. */
async function settling(turn: KeyTurn, writing: Promise<StorageRecord>): Promise<StorageRecord> {
  let isWritten = false;
  try {
    const written = await writing;
    isWritten = true;
    return written;
  } finally {
    turn.settle(isWritten);
  }
}

/** Begins the hooks of the kind around a write to its main resource; undefined when there are none. */
function begin({ update, object, old }: Change): Promise<FinishWrite | undefined> | undefined {
  const { store, context, options } = update;
  if (options.subresource !== undefined) return undefined;
  return store.hooks?.beginUpdate?.(object, old, { context, dryRun: options.dryRun === true });
}

/** Creates a missing object, when the kind or the caller allows it. @throws ApiError 404 otherwise */
async function createInstead({ store, context, namespace, name, transform, options }: Update): Promise<UpdateOutcome> {
  const { strategy } = store.info;
  const allowed = options.createMissing === true || strategy?.allowCreateOnUpdate === true;
  if (!allowed || options.subresource !== undefined) throw errors.notFound(store.info, name);
  const object = await transform(undefined);
  const mutate = async (): Promise<void> => {
    await options.mutate?.(object, undefined);
    // An invalid version fails the write; a valid one has no meaning for an object that does not exist.
    objectResourceVersion(object.metadata.resourceVersion);
    delete object.metadata.resourceVersion;
  };
  const admit = (admitted: StoredObject): Begun | Promise<Begun> => options.admit?.(admitted, undefined);
  const creating: WriteOptions = { dryRun: options.dryRun, mutate, admit };
  const record = await createObject({ store, context, namespace, object, options: creating });
  return { record, object: object as StoredObject, old: undefined };
}

/** Checks the precondition on the uid. @throws ApiError 409 */
function checkUid(store: ResourceStore, name: string, wanted: string | undefined, found: string): void {
  if (wanted === undefined || wanted === '' || wanted === found) return;
  throw errors.preconditionFailed(store.info, name, 'UID', wanted, found);
}

/**
 * Checks the resourceVersion of the new object against the old one.
 *
 * @returns whether the new object has a resourceVersion, which is then a precondition of the update
 * @throws ApiError 409 for a different version, 422 when the kind requires one, 500 for an invalid one
 */
function checkVersion(store: ResourceStore, object: ApiObject, old: StoredObject, name: string): boolean {
  const version = objectResourceVersion(object.metadata.resourceVersion);
  if (version === 0) {
    if (store.info.strategy?.allowUnconditionalUpdate ?? true) return false;
    // Kubernetes names the resource here, not the kind.
    throw errors.invalid({ group: store.info.group, kind: store.info.resource }, name, [
      new FieldError('Invalid', 'metadata.resourceVersion', UNSET_VERSION, 'must be specified for an update'),
    ]);
  }
  if (version !== Number(old.metadata.resourceVersion)) throw errors.modified(store.info, name);
  return true;
}

/** Restores the metadata that no client may change. */
function keepSystemFields(object: ApiObject, old: StoredObject): void {
  const { metadata } = object;
  const before = old.metadata;
  if ((metadata.uid ?? '') === '' && before.uid !== undefined) metadata.uid = before.uid;
  if (before.generation === undefined) delete metadata.generation;
  else metadata.generation = before.generation;
  if (before.creationTimestamp !== undefined) metadata.creationTimestamp = before.creationTimestamp;
  if (before.namespace !== undefined) metadata.namespace = before.namespace;
  if (metadata.selfLink !== undefined) delete metadata.selfLink;
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  if (metadata.managedFields?.length === 0) delete metadata.managedFields;
}

/**
 * Restores the fields that clients may not change, and sets the derived ones.
 *
 * @returns undefined when nothing has to wait
 */
function prepare(
  info: ResourceInfo,
  context: RequestContext,
  object: ApiObject,
  old: StoredObject,
  subresource: SubresourceStrategy | undefined,
): void | Promise<void> {
  keepSystemFields(object, old);
  object.metadata.resourceVersion = old.metadata.resourceVersion ?? '';
  if (subresource === undefined) resetForUpdate(info, object, old);
  const hooks = subresource ?? info.strategy;
  return whenReady(hookResult(hooks?.prepareForUpdate?.(object, old, context), context), () => {
    return whenReady(nextGeneration(info, object, old, context.work), (generation) => {
      if (generation !== undefined) object.metadata.generation = generation;
      deduplicateOwners(object, context);
    });
  });
}

/** Kubernetes prints a resourceVersion as the unsigned number that it is. */
const UNSET_VERSION = new VerbatimValue('0x0');

const isConflict = (error: unknown): boolean => error instanceof StorageError && error.code === 'Conflict';
const isGone = (error: unknown): boolean => error instanceof StorageError && error.code === 'KeyNotFound';
