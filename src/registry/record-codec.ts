import { isJsonObject, type JsonObject } from '../meta/json.js';
import type { ApiObject, StoredObject } from '../meta/object.js';
import { orderedMetadata } from './metadata-order.js';
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

/** How many decoded objects are kept; the rest live as text and are parsed when needed. */
const DECODED_LIMIT = 4096;
const ring: (StorageRecord | undefined)[] = new Array<StorageRecord | undefined>(DECODED_LIMIT).fill(undefined);
let ringAt = 0;

/** Remembers that a record holds a decoded form, and lets go of the one remembered longest ago. */
export function keepDecoded(record: StorageRecord): void {
  const former = ring[ringAt];
  if (former !== undefined && former !== record) former.decoded = undefined;
  ring[ringAt] = record;
  ringAt = ringAt + 1 === DECODED_LIMIT ? 0 : ringAt + 1;
}

/**
 * The object of a record. Whoever gets it must not change it: it is the same for everybody.
 *
 * @throws Error when the stored text is not an object: the store is damaged
 */
export function decodeRecord(record: StorageRecord): StoredObject {
  const kept = record.decoded;
  if (kept !== undefined) return kept as StoredObject;
  const parsed: unknown = JSON.parse(record.text);
  if (!isJsonObject(parsed) || !isJsonObject(parsed['metadata'])) throw new Error(`stored value of ${record.key} is not an object`);
  record.decoded = parsed;
  keepDecoded(record);
  return parsed as StoredObject;
}

/** A record for an object that is not stored: the answer of a dry run. */
export function transientRecord(key: string, object: ApiObject, revision: Revision): StorageRecord {
  const text = revision === 0 ? asciiJson(object as JsonObject) : encodeAt(object, revision);
  return { key, text, modRevision: revision, createRevision: revision, decoded: object };
}
