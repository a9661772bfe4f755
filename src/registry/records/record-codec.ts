import {
  asciiJson,
  asciiText,
  hasBigIntegers,
  holdAsWritten,
  inSlices,
  isJsonObject,
  isLargeWork,
  jsonText,
  jsonValue,
  jsonValueSteps,
  parsedJson,
  UNBOUNDED_WORK,
  type ApiObject,
  type JsonObject,
  type JsonValue,
  type ManagedFieldsEntry,
  type ObjectMeta,
  type Steps,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import type { Revision, StorageRecord, ValueEncoder } from '../../storage/index.js';
import { KnownEntries } from '../writes/known-entries.js';
import { largeEncoder, largeText } from './large-text.js';

const PLACE = '"managedFields":[]';

/** Encodes the objects of a kind as {@link asciiJson} does, faster when it knows the text of the managed fields. */
export class ObjectTexts {
  readonly #known = new KnownEntries();
  /** Stands for the managed fields of an object while it is encoded. */
  readonly #place: ManagedFieldsEntry[] = [];

  /** Returns the encoder of an object, which an engine calls with the revision of the write; see {@link encodeAt}. */
  encoderOf(object: ApiObject): ValueEncoder {
    return (revision) => encodeAt(object, revision, this);
  }

  /**
   * Does what {@link encoderOf} does. The text of a large object is made before the write, in the slices of the request.
   *
   * @throws ApiError 429 when the text does not fit into the memory budget; a promise rejects with what the work throws
   */
  encoderFor(object: ApiObject, work: Work | undefined): ValueEncoder | Promise<ValueEncoder> {
    if (!isEncodedInSlices(work, object)) return this.encoderOf(object);
    object.metadata = orderedMetadata(object.metadata);
    return inSlices(work, largeEncoder(object, work), 'encode');
  }

  /** Returns the JSON of an object. */
  of(object: ApiObject): string {
    // The result of an operation in code may be anything.
    const managedFields: unknown = isJsonObject(object['metadata']) ? object.metadata.managedFields : undefined;
    if (!Array.isArray(managedFields) || !startsWithStrings(object)) return asciiJson(object);
    const entries = this.#known.textOf(managedFields, asciiJson);
    if (entries === undefined) return asciiJson(object);
    const text = jsonText({ ...object, metadata: { ...object.metadata, managedFields: this.#place } });
    // Quotes in strings are escaped, and no other member of the metadata can have this name and value.
    const at = text.indexOf(PLACE);
    return asciiText(`${text.slice(0, at)}"managedFields":${entries}${text.slice(at + PLACE.length)}`);
  }
}

/** Returns whether the text of an object is made in slices: it is large, and the work of a request makes it. */
const isEncodedInSlices = (work: Work | undefined, object: ApiObject): work is Work =>
  work !== undefined && work !== UNBOUNDED_WORK && isLargeWork(work, object as JsonObject);

/** Returns whether the members before the metadata are strings, such as kind and version. */
function startsWithStrings(object: ApiObject): boolean {
  for (const name in object) {
    if (name === 'metadata') return true;
    if (typeof object[name] !== 'string') return false;
  }
  return false;
}

/**
 * Encodes an object with a revision. The object becomes the decoded form of the record and must not be changed
 * afterwards.
 *
 * @param texts encodes the objects of the kind; default {@link asciiJson}
 */
export function encodeAt(object: ApiObject, revision: Revision, texts?: ObjectTexts): string {
  object.metadata = orderedMetadata(object.metadata);
  object.metadata.resourceVersion = String(revision);
  const text = texts === undefined ? asciiJson(object) : texts.of(object);
  if (hasBigIntegers(text)) holdAsWritten(object);
  return text;
}

/** Returns the text of a stored object with another revision. A text that is not an object is returned unchanged. */
export function stampRevision(text: string, revision: Revision): string {
  const value = parsedJson(text);
  return isJsonObject(value) && isJsonObject(value['metadata']) ? encodeAt(value as ApiObject, revision) : text;
}

/**
 * Parses the text of a record, without a cache.
 *
 * @throws Error when the stored text is not an object (the store is damaged)
 */
export function parseRecord(record: StorageRecord): StoredObject {
  return storedObject(record, jsonValue(record.text));
}

/** Does what {@link parseRecord} does, in steps. */
export function* parseRecordSteps(record: StorageRecord, work: Work): Steps<StoredObject> {
  return storedObject(record, yield* jsonValueSteps(work, record.text));
}

function storedObject({ key }: StorageRecord, parsed: JsonValue): StoredObject {
  if (!isJsonObject(parsed) || !isJsonObject(parsed['metadata']))
    throw new Error(`stored value of ${key} is not an object`);
  return parsed as StoredObject;
}

/** The result of an operation or of a dry run. Its text is encoded on first use. */
class UnwrittenRecord implements StorageRecord {
  readonly modRevision = 0;
  readonly createRevision = 0;
  readonly key: string;
  readonly decoded: ApiObject;
  readonly #texts: ObjectTexts | undefined;
  #text: string | undefined;

  constructor(key: string, object: ApiObject, texts: ObjectTexts | undefined, text?: string) {
    this.key = key;
    this.decoded = object;
    this.#texts = texts;
    this.#text = text;
  }

  get text(): string {
    return (this.#text ??= this.#texts === undefined ? asciiJson(this.decoded) : this.#texts.of(this.decoded));
  }
}

/**
 * Returns a record for an object that is not stored; revision 0 means that it never was. The object must not be changed
 * afterwards.
 */
export function transientRecord(
  key: string,
  object: ApiObject,
  revision: Revision,
  texts?: ObjectTexts,
): StorageRecord {
  return revision === 0
    ? new UnwrittenRecord(key, object, texts)
    : {
        key,
        text: encodeAt(object, revision, texts),
        modRevision: revision,
        createRevision: revision,
        decoded: object,
      };
}

/**
 * Does what {@link transientRecord} does for the work of a request: the text of a large object is made in its slices.
 *
 * @throws ApiError 429 when the text does not fit into the memory budget; a promise rejects with what the work throws
 */
export function transientRecordFor(
  work: Work | undefined,
  key: string,
  object: ApiObject,
  revision: Revision,
  texts?: ObjectTexts,
): StorageRecord | Promise<StorageRecord> {
  if (!isEncodedInSlices(work, object)) return transientRecord(key, object, revision, texts);
  if (revision !== 0) object.metadata = orderedMetadata(object.metadata);
  return inSlices(work, largeRecord(work, key, object, revision), 'encode');
}

function* largeRecord(work: Work, key: string, object: ApiObject, revision: Revision): Steps<StorageRecord> {
  if (revision === 0) return new UnwrittenRecord(key, object, undefined, yield* largeText(object, work));
  const encode = yield* largeEncoder(object, work);
  return { key, text: encode(revision), modRevision: revision, createRevision: revision, decoded: object };
}

/**
 * Returns metadata with its fields in the order in which Kubernetes writes them.
 *
 * The fixed order also gives all metadata one hidden class in the JavaScript engine, which makes stored objects faster
 * to read.
 */
function orderedMetadata(metadata: ObjectMeta): ObjectMeta {
  const ordered: ObjectMeta = {};
  if (metadata.name !== undefined) ordered.name = metadata.name;
  if (metadata.generateName !== undefined) ordered.generateName = metadata.generateName;
  if (metadata.namespace !== undefined) ordered.namespace = metadata.namespace;
  if (metadata.uid !== undefined) ordered.uid = metadata.uid;
  // Reserves the position, so that the revision only replaces the value.
  ordered.resourceVersion = metadata.resourceVersion ?? '';
  if (metadata.generation !== undefined) ordered.generation = metadata.generation;
  if (metadata.creationTimestamp !== undefined) ordered.creationTimestamp = metadata.creationTimestamp;
  if (metadata.deletionTimestamp !== undefined) ordered.deletionTimestamp = metadata.deletionTimestamp;
  if (metadata.deletionGracePeriodSeconds !== undefined)
    ordered.deletionGracePeriodSeconds = metadata.deletionGracePeriodSeconds;
  if (metadata.labels !== undefined) ordered.labels = metadata.labels;
  if (metadata.annotations !== undefined) ordered.annotations = metadata.annotations;
  if (metadata.ownerReferences !== undefined) ordered.ownerReferences = metadata.ownerReferences;
  if (metadata.finalizers !== undefined) ordered.finalizers = metadata.finalizers;
  if (metadata.managedFields !== undefined) ordered.managedFields = metadata.managedFields;
  return ordered;
}
