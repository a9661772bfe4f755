import { isJsonObject, parsedJson, type JsonObject } from '../meta/json.js';
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

/** The text of a stored object as of another revision; a text that is no object is left as it is. */
export function stampRevision(text: string, revision: Revision): string {
  const value = parsedJson(text);
  return isJsonObject(value) && isJsonObject(value['metadata']) ? encodeAt(value as ApiObject, revision) : text;
}

/** Remembers which records hold a decoded form, and lets go of those remembered longest ago where there is no room. */
class DecodedRing {
  readonly #records: (StorageRecord | undefined)[];
  readonly #maxText: number;
  #oldest = 0;
  #kept = 0;
  #keptText = 0;

  /**
   * @param maxRecords how many objects are kept decoded
   * @param maxText how much text they may stand for: a decoded object takes two to four times the bytes of its text
   */
  constructor(maxRecords: number, maxText: number) {
    this.#records = new Array<StorageRecord | undefined>(maxRecords).fill(undefined);
    this.#maxText = maxText;
  }

  keep(record: StorageRecord): void {
    const { length } = this.#records;
    if (this.#kept === length) this.#forgetOldest();
    this.#records[(this.#oldest + this.#kept) % length] = record;
    this.#kept += 1;
    this.#keptText += record.text.length;
    while (this.#keptText > this.#maxText && this.#kept > 1) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const record = this.#records[this.#oldest];
    this.#records[this.#oldest] = undefined;
    this.#oldest = (this.#oldest + 1) % this.#records.length;
    this.#kept -= 1;
    if (record === undefined) return;
    this.#keptText -= record.text.length;
    record.decoded = undefined;
  }
}

/** What was read lives long: work on some ten thousand small objects does not parse each anew at every turn. */
const readLately = new DecodedRing(16_384, 8 * 1024 * 1024);
/**
 * What was just written is looked at by its writer and its watchers, and then mostly by nobody: it is let go of while it is
 * still cheap for the collector of garbage.
 */
const justWritten = new DecodedRing(256, 2 * 1024 * 1024);

/** Remembers that a record which was just written holds a decoded form. */
export function keepWritten(record: StorageRecord): void {
  justWritten.keep(record);
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
  readLately.keep(record);
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
  return revision === 0 ? new UnwrittenRecord(key, object) : { key, text: encodeAt(object, revision), modRevision: revision, createRevision: revision, decoded: object };
}
