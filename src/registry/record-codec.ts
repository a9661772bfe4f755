import { isJsonObject, parsedJson, type JsonObject } from '../meta/json.js';
import type { ApiObject, StoredObject, ObjectMeta } from '../meta/object.js';
import type { Revision, StorageRecord } from '../storage/storage.js';

const NOT_ASCII = /[^\x00-\x7f]/;
const EVERY_NOT_ASCII = /[^\x00-\x7f]/g;

const escapeCodeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * The JSON text of a value with every character above U+007F escaped (RFC 8259 section 7).
 *
 * Stored texts are ASCII: their length in bytes is their length, they are kept and written one byte a character, and no
 * reader needs to scan them to know.
 */
export function asciiJson(value: JsonObject): string {
  const text = JSON.stringify(value);
  return NOT_ASCII.test(text) ? text.replace(EVERY_NOT_ASCII, escapeCodeUnit) : text;
}

/** The object's text at a revision. The object must not be changed afterwards: it becomes the record's decoded form. */
export function encodeAt(object: ApiObject, revision: Revision): string {
  object.metadata = orderedMetadata(object.metadata);
  object.metadata.resourceVersion = String(revision);
  return asciiJson(object as JsonObject);
}

/** The text of a stored object as of another revision; a text that is no object is left as it is. */
export function stampRevision(text: string, revision: Revision): string {
  const value = parsedJson(text);
  return isJsonObject(value) && isJsonObject(value['metadata']) ? encodeAt(value as ApiObject, revision) : text;
}

/**
 * The object of a record, without a memory: each call may parse the text.
 *
 * @throws Error when the stored text is not an object: the store is damaged
 */
export function parseRecord(record: StorageRecord): StoredObject {
  const parsed: unknown = JSON.parse(record.text);
  if (!isJsonObject(parsed) || !isJsonObject(parsed['metadata']))
    throw new Error(`stored value of ${record.key} is not an object`);
  return parsed as StoredObject;
}

/** The answer of a virtual kind or of a dry run: its text is made when somebody asks for it. */
class UnwrittenRecord implements StorageRecord {
  readonly modRevision = 0;
  readonly createRevision = 0;
  readonly key: string;
  readonly decoded: unknown;
  #text: string | undefined;

  constructor(key: string, object: ApiObject) {
    this.key = key;
    this.decoded = object;
  }

  get text(): string {
    return (this.#text ??= asciiJson(this.decoded as JsonObject));
  }
}

/** A record for an object that is not stored; at revision 0 it never was. Its object must not be changed any more. */
export function transientRecord(key: string, object: ApiObject, revision: Revision): StorageRecord {
  return revision === 0
    ? new UnwrittenRecord(key, object)
    : { key, text: encodeAt(object, revision), modRevision: revision, createRevision: revision, decoded: object };
}

/**
 * Metadata with its fields in the order in which the production system writes them, whatever order they came in.
 *
 * One order also means one shape for the engine of the language: stored objects are read faster.
 */
function orderedMetadata(metadata: ObjectMeta): ObjectMeta {
  const ordered: ObjectMeta = {};
  if (metadata.name !== undefined) ordered.name = metadata.name;
  if (metadata.generateName !== undefined) ordered.generateName = metadata.generateName;
  if (metadata.namespace !== undefined) ordered.namespace = metadata.namespace;
  if (metadata.uid !== undefined) ordered.uid = metadata.uid;
  // Stands here from the start, so that the revision only replaces it.
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
