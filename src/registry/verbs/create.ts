import {
  ApiError,
  errors,
  formatTime,
  generateName,
  whenReady,
  type ApiObject,
  type StoredObject,
} from '../../foundation/index.js';
import { StorageError, type StorageRecord } from '../../storage/index.js';
import { transientRecordFor } from '../records/record-codec.js';
import type { RequestContext } from '../store/context.js';
import { inStorage } from '../store/storage-step.js';
import type { ResourceStore } from '../store/store.js';
import { hookResult } from '../writes/hook-steps.js';
import { countsGeneration, resetForCreate } from '../writes/status.js';
import { canonicalize, deduplicateOwners, hookFailure, validateNew } from '../writes/validation.js';
import { finishing } from '../writes/write-hooks.js';
import { hasResourceVersion } from './resource-version.js';
import type { WriteOptions } from './write-options.js';

/** Maximum number of attempts to generate a free name (KEP-4420). */
const GENERATE_NAME_ATTEMPTS = 8;

/**
 * Sets the fields that only the server may set on a new object. Deletes only fields that exist: a delete of nothing
 * takes as long as the rest.
 */
function setSystemFields(store: ResourceStore, context: RequestContext, namespace: string, object: ApiObject): void {
  const { metadata } = object;
  if (store.info.namespaced) metadata.namespace = namespace;
  else if (metadata.namespace !== undefined) delete metadata.namespace;
  if (metadata.deletionTimestamp !== undefined) delete metadata.deletionTimestamp;
  if (metadata.deletionGracePeriodSeconds !== undefined) delete metadata.deletionGracePeriodSeconds;
  if (metadata.selfLink !== undefined) delete metadata.selfLink;
  metadata.uid = context.entropy.uuid();
  metadata.creationTimestamp = formatTime(context.clock.now());
  if ((metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '')
    metadata.name = generateName(metadata.generateName ?? '', context.entropy);
  if (countsGeneration(store.info)) metadata.generation = 1;
}

/** The parameters of {@link createObject}. */
interface Creation {
  readonly store: ResourceStore;
  readonly context: RequestContext;
  readonly namespace: string;
  readonly object: ApiObject;
  readonly options: WriteOptions;
}

/** Stores a new object; see {@link ResourceStore.create}. When a generated name is taken, another one is generated. */
export async function createObject(creation: Creation): Promise<StorageRecord> {
  const { store, object, options } = creation;
  try {
    const pending = options.mutate?.(object, undefined);
    if (pending !== undefined) await pending;
    const loading = store.info.load(object);
    if (loading !== undefined) await loading;
    const generated = (object.metadata.name ?? '') === '' && (object.metadata.generateName ?? '') !== '';
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await createOnce(creation);
      } catch (error) {
        if (!(error instanceof StorageError) || error.code !== 'KeyExists') throw error;
        if (!generated || attempt === GENERATE_NAME_ATTEMPTS) throw await nameTaken(store, object, error);
        delete object.metadata.name;
        // The encoder may have set a placeholder.
        delete object.metadata.resourceVersion;
      }
    }
  } catch (error) {
    throw hookFailure(store.info, object, error);
  }
}

/** Returns the error for a name that is taken. */
async function nameTaken(store: ResourceStore, { metadata }: ApiObject, { current }: StorageError): Promise<ApiError> {
  const beingDeleted = current !== undefined && (await isBeingDeleted(store, current));
  const name = metadata.name ?? '';
  return (metadata.generateName ?? '') === ''
    ? errors.alreadyExists(store.info, name, beingDeleted)
    : errors.generateNameConflict(store.info, name, beingDeleted);
}

/** Creates the object with the name that it has or that is generated now, between the hooks of its kind. */
function createOnce(creation: Creation): Promise<StorageRecord> {
  const { store, context, namespace, object, options } = creation;
  setSystemFields(store, context, namespace, object);
  const dryRun = options.dryRun === true;
  const begun = store.hooks?.beginCreate?.(object, { context, dryRun });
  return finishing(
    begun,
    () => prepareNew(creation),
    () => !dryRun,
  );
}

/** Prepares, checks and stores the object. */
function prepareNew(creation: Creation): Promise<StorageRecord> {
  const { store, context, object } = creation;
  const { info } = store;
  resetForCreate(info, object);
  const prepared = hookResult(info.strategy?.prepareForCreate?.(object, context), context);
  const pending = whenReady(prepared, () => {
    deduplicateOwners(object, context);
    return validateNew(info, object, context);
  });
  return pending instanceof Promise ? pending.then(() => admitNew(creation)) : admitNew(creation);
}

/** Runs validating admission on the valid object, and stores it. */
function admitNew(creation: Creation): Promise<StorageRecord> {
  const { store, context, object, options } = creation;
  const admitted = (): Promise<StorageRecord> =>
    finishing(
      options.admit?.(object as StoredObject, undefined),
      () => writeNew(creation),
      () => options.dryRun !== true,
    );
  const pending = canonicalize(store.info, object, context);
  return pending instanceof Promise ? pending.then(admitted) : admitted();
}

async function writeNew({ store, context, namespace, object, options }: Creation): Promise<StorageRecord> {
  const { info, environment } = store;
  const key = info.key(namespace, object.metadata.name ?? '');
  // In Kubernetes the storage refuses a resourceVersion, which a dry run does not reach: it answers with what was sent.
  if (options.dryRun === true) {
    const { record } = await environment.storage.get(key);
    if (record !== undefined) throw new StorageError('KeyExists', { key, current: record });
    return transientRecordFor(context.work, key, await store.writes.rehearsed(object, context.work), 0);
  }
  if (hasResourceVersion(object.metadata.resourceVersion))
    throw new ApiError({ message: 'resourceVersion should not be set on objects to be created', code: 500 });
  if (object.metadata.resourceVersion !== undefined) delete object.metadata.resourceVersion;
  const written = await inStorage(context, 'Create etcd3', store, key, () =>
    store.writes.insert(key, object, { work: context.work, while: context.while }),
  );
  context.written?.(written);
  return written;
}

/** Returns whether the object that has the name is being deleted; false when that object cannot be read. */
async function isBeingDeleted(store: ResourceStore, record: StorageRecord): Promise<boolean> {
  try {
    return store.read(await store.preparedOne(record)).metadata.deletionTimestamp !== undefined;
  } catch {
    return false;
  }
}
