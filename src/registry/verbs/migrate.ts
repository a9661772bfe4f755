import { equalJson, errors, messageOf, type StoredObject } from '../../foundation/index.js';
import { StorageError, type StorageRecord } from '../../storage/index.js';
import { encodeAt } from '../records/record-codec.js';
import { typePrefix } from '../records/stored-form.js';
import type { StoredVersions } from '../records/stored-versions.js';
import type { ResourceStore } from '../store/store.js';

/** Options of {@link migrateObjects}. */
export interface MigrateObjectsOptions {
  /** Counts the objects that would be rewritten, and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Ends the migration between two pages. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each page with the objects that were read, and the objects of the kind. */
  readonly onProgress?: ((objects: number, all: number) => void) | undefined;
}

/** An object that could not be migrated. */
export interface MigrationFailure {
  /** Storage key of the object. */
  readonly key: string;
  readonly message: string;
}

/** The result of {@link migrateObjects}. */
export interface MigratedObjects {
  readonly objects: number;
  /** Objects whose stored form was not the current one. */
  readonly rewritten: number;
  readonly failures: readonly MigrationFailure[];
}

const PAGE_SIZE = 200;
/** Maximum conflicts with other writes of one object. */
const MAX_CONFLICTS = 64;
/** Maximum passes over a kind to which another server still writes another version. */
const MAX_PASSES = 5;

/**
 * Rewrites the stored objects of a kind in its storage version, as an update without changes would, page by page.
 * Other writes win: an object that changes meanwhile is read again. Afterwards the objects are read once more, because
 * a request that began before a change of the storage version may still have written the previous one.
 *
 * @param store a store of any version of a kind with stored versions
 * @throws StorageError when the storage fails; the signal's reason
 */
export async function migrateObjects(
  store: ResourceStore,
  versions: StoredVersions,
  options: MigrateObjectsOptions = {},
): Promise<MigratedObjects> {
  const current = typePrefix({ kind: store.info.kind, apiVersion: versions.storageVersion });
  const first = await migratePass(store, versions, options, () => true);
  let { rewritten, failures } = first;
  let latest = first;
  for (let pass = 1; latest.rewritten > 0 && failures.length === 0 && options.dryRun !== true; pass += 1) {
    if (pass === MAX_PASSES) throw new Error(`${store.info.resource}: another server writes another storage version`);
    latest = await migratePass(store, versions, options, ({ text }) => !text.startsWith(current));
    rewritten += latest.rewritten;
    failures = latest.failures;
  }
  return { objects: latest.objects, rewritten, failures };
}

async function migratePass(
  store: ResourceStore,
  versions: StoredVersions,
  { dryRun = false, signal, onProgress }: MigrateObjectsOptions,
  isCandidate: (record: StorageRecord) => boolean,
): Promise<MigratedObjects> {
  const { storage } = store.environment;
  const failures: MigrationFailure[] = [];
  let objects = 0;
  let rewritten = 0;
  for (let after: string | undefined, remaining = 1; remaining > 0;) {
    signal?.throwIfAborted();
    const page = await storage.list(store.info.keyPrefix, { after, limit: PAGE_SIZE });
    const candidates = page.records.filter(isCandidate);
    const forms = await convertPage(store, versions, candidates);
    const outcomes = await Promise.all(
      candidates.map(async (record, index) => {
        try {
          return await rewrite({ store, versions, dryRun }, record, forms[index]);
        } catch (error) {
          if (error instanceof StorageError) throw error;
          failures.push({ key: record.key, message: messageOf(error) });
          return false;
        }
      }),
    );
    rewritten += outcomes.filter(Boolean).length;
    objects += page.records.length;
    ({ remaining } = page);
    after = page.records.at(-1)?.key ?? after;
    onProgress?.(objects, objects + remaining);
  }
  return { objects, rewritten, failures };
}

/** Converts the objects of a page in one call, or returns an empty list when one of them cannot be converted. */
async function convertPage(
  store: ResourceStore,
  versions: StoredVersions,
  records: readonly StorageRecord[],
): Promise<readonly StoredObject[]> {
  try {
    return await versions.read(
      records.map((record) => readStored(store, record)),
      versions.storageVersion,
    );
  } catch {
    // Each object is converted again alone, which finds the one that fails.
    return [];
  }
}

/** @throws ApiError when the record cannot be read */
function readStored({ form, environment }: ResourceStore, record: StorageRecord): StoredObject {
  form.assertKnown(record);
  return environment.decodedForms.read(record);
}

/**
 * Writes an object in its current form, unless it is stored in that form already.
 *
 * @param converted the current form; undefined when it is not known yet
 * @returns whether the stored form was another one
 */
async function rewrite(
  { store, versions, dryRun }: { store: ResourceStore; versions: StoredVersions; dryRun: boolean },
  record: StorageRecord,
  converted: StoredObject | undefined,
): Promise<boolean> {
  const { storage } = store.environment;
  let present: StorageRecord | undefined = record;
  for (let conflicts = 0; conflicts <= MAX_CONFLICTS; conflicts += 1) {
    const stored: StoredObject = readStored(store, present);
    const form: StoredObject | undefined =
      present === record && converted !== undefined
        ? converted
        : (await versions.read([stored], versions.storageVersion))[0];
    if (form === undefined) throw errors.internal(`the conversion of ${record.key} returned no object`);
    if (equalJson(form, stored)) return false;
    if (dryRun) return true;
    const object = { ...form, metadata: { ...form.metadata } };
    try {
      await storage.update(record.key, (revision) => encodeAt(object, revision), present.modRevision);
      return true;
    } catch (error) {
      if (!(error instanceof StorageError) || !(error.code === 'Conflict' || error.code === 'KeyNotFound')) throw error;
      ({ record: present } = await storage.get(record.key));
      if (present === undefined) return false;
    }
  }
  throw errors.modified(store.info, record.key);
}
