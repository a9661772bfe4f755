import {
  durationMs,
  equalInSlices,
  type ApiObject,
  type JsonObject,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import type { Revision, StorageRecord, StorageWriteOptions } from '../../storage/index.js';
import { toHub } from '../records/hub-conversion.js';
import { encodeAt } from '../records/record-codec.js';
import { stampingEncoder } from '../records/stamped-text.js';
import { isOwnText } from '../records/stored-form.js';
import { isUnchanged } from '../writes/shared-parts.js';
import type { EraseOptions, FullOptions } from './store-options.js';
import type { ResourceStore } from './store.js';

/**
 * Maximum growth of an object that is being deleted by one write to a full storage: the timestamp, finalizers and
 * conditions. Deletions must not be refused, because they lead to free memory.
 */
const DELETION_GROWTH = 4096;

/** The conversions of a kind, as far as writes need them. */
export interface WriteConversions {
  /** Returns the record that contains the stored form of a record's object. */
  sourceOf(record: StorageRecord): StorageRecord;
  /** Converts stored objects to the kind's version. */
  fromStored(
    objects: readonly StoredObject[],
    work: Work | undefined,
  ): readonly StoredObject[] | Promise<readonly StoredObject[]>;
  /** Keeps the object of a record in the kind's version. */
  keep(record: StorageRecord, object: StoredObject): void;
}

/** Writes the records of one kind to the storage, in the version in which they are stored. */
export class RecordWrites {
  readonly #store: ResourceStore;
  readonly #conversions: WriteConversions;

  constructor(store: ResourceStore, conversions: WriteConversions) {
    this.#store = store;
    this.#conversions = conversions;
  }

  /** Stores a new object, which becomes the decoded form of the record. @throws StorageError `KeyExists` */
  async insert(key: string, object: ApiObject, options: FullOptions = {}): Promise<StorageRecord> {
    const { work } = options;
    const { texts, environment } = this.#store;
    const converted = this.#toStored(object, work);
    const stored = converted instanceof Promise ? await converted : converted;
    const encoding = texts.encoderFor(stored, work);
    const encode = encoding instanceof Promise ? await encoding : encoding;
    const writeOptions = this.#writeOptions(object, stored, options);
    const written = await environment.storage.create(key, encode, writeOptions);
    if (written.decoded !== undefined) environment.decodedForms.addWritten(written);
    return this.#remember(written, object, stored, work);
  }

  /**
   * Overwrites a record unless another write has changed it. An object that is already stored exactly like this is not
   * written; one that is stored in another version is.
   *
   * @throws StorageError `Conflict`, `KeyNotFound`
   */
  async overwrite(record: StorageRecord, object: ApiObject, options: FullOptions = {}): Promise<StorageRecord> {
    const { key, modRevision } = record;
    const { info, texts, environment } = this.#store;
    const { storedVersions, conversion } = info.definition;
    const hasVersions = storedVersions !== undefined;
    // A conversion may change the parts of what it gets.
    const { work } = options;
    const reading = this.#store.readFor(work, record);
    const former = reading instanceof Promise ? await reading : reading;
    // A change of the encryption keys reaches the store by updates without changes, too.
    const isStale = environment.storage.isStale?.(record) === true;
    const comparing = !isStale && !hasVersions && isUnchanged(object, former, conversion === undefined, work);
    if (comparing instanceof Promise ? await comparing : comparing) return record;
    const converted = this.#toStored(object, options.work);
    const stored = converted instanceof Promise ? await converted : converted;
    const matching = !isStale && hasVersions && this.#isStored(record, stored, options.work);
    if (matching instanceof Promise ? await matching : matching) return record;
    const growthWhenFull =
      options.growthWhenFull ?? (object.metadata.deletionTimestamp === undefined ? undefined : DELETION_GROWTH);
    const encoding = texts.encoderFor(stored, work);
    const encode = encoding instanceof Promise ? await encoding : encoding;
    const { while: condition, accepted } = options;
    const writeOptions = this.#writeOptions(object, stored, { growthWhenFull, while: condition, accepted });
    const written = await environment.storage.update(key, encode, modRevision, writeOptions);
    if (written.decoded !== undefined) environment.decodedForms.addReplaced(written);
    return this.#remember(written, object, stored, options.work);
  }

  /**
   * Removes a record. Watchers get `object` as its last state.
   *
   * @throws StorageError `Conflict`, `KeyNotFound`
   */
  async erase(
    record: StorageRecord,
    object: ApiObject,
    { isUnchanged = false, work, while: condition }: EraseOptions = {},
  ): Promise<StorageRecord> {
    const { key, modRevision, text } = record;
    const { storage, decodedForms } = this.#store.environment;
    // The last state is usually the stored one, which needs no conversion.
    const isStored =
      this.#store.waitsForConversion && (await equalInSlices(work, object as JsonObject, this.#store.read(record)));
    const converted = isStored
      ? copyOf(decodedForms.read(this.#conversions.sourceOf(record)))
      : this.#toStored(object, work);
    const stored = converted instanceof Promise ? await converted : converted;
    const stamping =
      isUnchanged && stored === object && isOwnText(text, this.#store.typePrefix)
        ? stampingEncoder(stored, text, this.#store.typePrefix.length)
        : undefined;
    const encoding = stamping ?? this.#store.texts.encoderFor(stored, work);
    const encode = encoding instanceof Promise ? await encoding : encoding;
    const options = { decoded: stored === object ? object : undefined, while: condition };
    const written = await storage.delete(key, encode, modRevision, options);
    if (isStored) {
      const metadata = { ...object.metadata, resourceVersion: String(written.modRevision) };
      this.#conversions.keep(written, { ...(object as StoredObject), metadata });
    }
    if (written.decoded !== undefined) decodedForms.addWritten(written);
    return this.#remember(written, object, stored);
  }

  /** Returns an object as it is stored. An object without conversion is returned itself. */
  #toStored(object: ApiObject, work?: Work): ApiObject | Promise<ApiObject> {
    const { storedVersions } = this.#store.info.definition;
    return storedVersions === undefined
      ? toHub(object, this.#store.info, this.#store.environment.dialect)
      : storedVersions.write(object, work);
  }

  /** Returns whether a record contains an object in its stored form. */
  #isStored(record: StorageRecord, stored: ApiObject, work: Work | undefined): boolean | Promise<boolean> {
    return equalInSlices(
      work,
      stored as JsonObject,
      this.#store.environment.decodedForms.read(this.#conversions.sourceOf(record)),
    );
  }

  /**
   * Returns an object as a write would return it, for dry runs: converted to the stored version and back.
   *
   * @throws ApiError when the object cannot be converted
   */
  async rehearsed(object: ApiObject, work?: Work): Promise<ApiObject> {
    if (this.#store.info.definition.storedVersions === undefined) return object;
    const stored = await this.#toStored(object, work);
    if (stored === object) return object;
    const [back] = await this.#conversions.fromStored([stored as StoredObject], work);
    return back === undefined ? object : copyOf(back);
  }

  #remember(
    record: StorageRecord,
    object: ApiObject,
    stored: ApiObject,
    work?: Work,
  ): StorageRecord | Promise<StorageRecord> {
    if (stored === object) this.#store.form.markCurrent(record);
    return this.#store.preparedOne(record, work);
  }

  #writeOptions(object: ApiObject, stored: ApiObject, options: FullOptions): StorageWriteOptions {
    const ttl = this.#store.info.strategy?.ttl;
    return {
      decoded: stored === object ? object : undefined,
      growthWhenFull: options.growthWhenFull,
      while: options.while,
      accepted: options.accepted,
      ttl: ttl === undefined ? undefined : durationMs(ttl),
      encodeExpired:
        ttl === undefined
          ? undefined
          : (revision: Revision) => encodeAt({ ...stored, metadata: { ...stored.metadata } }, revision),
    };
  }
}

/** Returns a copy of an object whose metadata an encoder may change. */
const copyOf = (object: StoredObject): ApiObject => ({ ...object, metadata: { ...object.metadata } });
