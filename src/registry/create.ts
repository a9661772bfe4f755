import { ApiError, errors } from '../meta/api-error.js';
import { generateName } from '../meta/generate-name.js';
import type { ApiObject, StoredObject } from '../meta/object.js';
import { formatTime } from '../meta/time.js';
import { StorageError, type StorageRecord } from '../storage/storage.js';
import type { RequestContext } from './context.js';
import { transientRecord } from './record-codec.js';
import { hasResourceVersion } from './resource-version.js';
import { countsGeneration, resetForCreate } from './status.js';
import { inStorage } from './storage-step.js';
import type { ResourceStore, WriteOptions } from './store.js';
import { canonicalize, deduplicateOwners, hookFailure, validateNew } from './validation.js';
import { finishing } from './write-hooks.js';

/** Maximum number of attempts to generate a free name (KEP-4420). */
const GENERATE_NAME_ATTEMPTS = 8;

/** Sets the fields that only the server may set on a new object. */
function setSystemFields(store: ResourceStore, context: RequestContext, namespace: string, object: ApiObject): void {
  const { metadata } = object;
  if (store.info.namespaced) metadata.namespace = namespace;
  else delete metadata.namespace;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  metadata.uid = context.entropy.uuid();
  metadata.creationTimestamp = formatTime(context.clock.now());
  if ((metadata.name ?? '') === '' && (metadata.generateName ?? '') !== '')
    metadata.name = generateName(metadata.generateName ?? '', context.entropy);
  if (countsGeneration(store.info)) metadata.generation = 1;
}

/** Stores a new object; see {@link ResourceStore.create}. When a generated name is taken, another one is generated. */
export async function createObject(
  store: ResourceStore,
  context: RequestContext,
  namespace: string,
  object: ApiObject,
  options: WriteOptions,
): Promise<StorageRecord> {
  try {
    const pending = options.mutate?.(object, undefined);
    if (pending !== undefined) await pending;
    const loading = store.info.load(object);
    if (loading !== undefined) await loading;
    const generated = (object.metadata.name ?? '') === '' && (object.metadata.generateName ?? '') !== '';
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await createOnce(store, context, namespace, object, options);
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

async function createOnce(
  store: ResourceStore,
  context: RequestContext,
  namespace: string,
  object: ApiObject,
  options: WriteOptions,
): Promise<StorageRecord> {
  setSystemFields(store, context, namespace, object);
  const dryRun = options.dryRun === true;
  const create = (): Promise<StorageRecord> => createPrepared(store, context, namespace, object, options);
  if (store.hooks?.beginCreate === undefined) return create();
  return finishing(await store.hooks.beginCreate(object, { context, dryRun }), create, () => !dryRun);
}

async function createPrepared(
  store: ResourceStore,
  context: RequestContext,
  namespace: string,
  object: ApiObject,
  options: WriteOptions,
): Promise<StorageRecord> {
  const { info } = store;
  const { strategy } = info.definition;
  resetForCreate(info, object);
  strategy?.prepareForCreate?.(object, context);
  deduplicateOwners(object, context);
  const pending = validateNew(info, object, context);
  if (pending !== undefined) await pending;
  canonicalize(info, object, context);
  const admitted = options.admit === undefined ? undefined : await options.admit(object as StoredObject, undefined);
  const write = (): Promise<StorageRecord> => writeNew(store, context, namespace, object, options);
  return admitted === undefined ? write() : finishing(admitted, write, () => options.dryRun !== true);
}

async function writeNew(
  store: ResourceStore,
  context: RequestContext,
  namespace: string,
  object: ApiObject,
  options: WriteOptions,
): Promise<StorageRecord> {
  const { info, environment } = store;
  if (hasResourceVersion(object.metadata.resourceVersion))
    throw new ApiError({ message: 'resourceVersion should not be set on objects to be created', code: 500 });
  delete object.metadata.resourceVersion;
  const key = info.key(namespace, object.metadata.name ?? '');
  if (options.dryRun === true) {
    const { record } = await environment.storage.get(key);
    if (record !== undefined) throw new StorageError('KeyExists', { key, current: record });
    return transientRecord(key, await store.rehearsed(object), 0);
  }
  const written = await inStorage(context, 'Create etcd3', store, key, () => store.insert(key, object));
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
