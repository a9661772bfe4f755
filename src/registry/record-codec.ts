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

/**
 * How many decoded objects are kept, and how much text they may stand for; the rest live as text and are parsed when
 * needed. The count is there so that work on some ten thousand small objects does not parse each anew at every turn, the
 * size so that large objects do not fill the memory. A decoded object takes two to four times the bytes of its text.
 */
const MAX_DECODED = 16_384;
const MAX_DECODED_TEXT = 8 * 1024 * 1024;
const ring: (StorageRecord | undefined)[] = new Array<StorageRecord | undefined>(MAX_DECODED).fill(undefined);
let oldest = 0;
let kept = 0;
let keptText = 0;

/** Remembers that a record holds a decoded form, and lets go of those remembered longest ago where there is no room. */
export function keepDecoded(record: StorageRecord): void {
  if (kept === MAX_DECODED) forgetOldest();
  ring[(oldest + kept) % MAX_DECODED] = record;
  kept += 1;
  keptText += record.text.length;
  while (keptText > MAX_DECODED_TEXT && kept > 1) forgetOldest();
}

function forgetOldest(): void {
  const record = ring[oldest];
  ring[oldest] = undefined;
  oldest = (oldest + 1) % MAX_DECODED;
  kept -= 1;
  if (record === undefined) return;
  keptText -= record.text.length;
  record.decoded = undefined;
}

/**
 * The object of a record. Whoever gets it must not change it: it is the same for everybody.
 *
 * @throws Error when the stored text is not an object: the store is damaged
 */
export function decodeRecord(record: StorageRecord): StoredObject {
  if (record.decoded !== undefined) return record.decoded as StoredObject;
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
