import type { Revision, StorageEvent, StorageRecord } from '../../storage.js';

/** A version of a key. A class gives all records one hidden class, so that reading them stays fast. */
export class VersionRecord implements StorageRecord {
  readonly key: string;
  readonly text: string;
  readonly modRevision: Revision;
  readonly createRevision: Revision;
  decoded: unknown;
  form: unknown;
  encodings: unknown;
  /** Not a field of every record: only encrypted values have it. */
  declare protection?: string | undefined;

  constructor(key: string, text: string, modRevision: Revision, createRevision: Revision, decoded: unknown) {
    this.key = key;
    this.text = text;
    this.modRevision = modRevision;
    this.createRevision = createRevision;
    this.decoded = decoded;
    this.form = undefined;
    this.encodings = undefined;
  }
}

/** Makes the records of a store. */
export type MakeRecord = (
  key: string,
  text: string,
  modRevision: Revision,
  createRevision: Revision,
  decoded: unknown,
) => StorageRecord;

/** Makes a record that holds its text. */
export const heldRecord: MakeRecord = (key, text, modRevision, createRevision, decoded) =>
  new VersionRecord(key, text, modRevision, createRevision, decoded);

/** Returns a record after noting what protects its value in the store; undefined for a value stored as it is. */
export function withProtection<Kept extends StorageRecord>(record: Kept, protection: string | undefined): Kept {
  if (protection !== undefined) record.protection = protection;
  return record;
}

/** A write in the history; it refers to the versions and copies nothing. */
export class WriteEvent implements StorageEvent {
  readonly type: StorageEvent['type'];
  readonly key: string;
  readonly revision: Revision;
  readonly record: StorageRecord;
  readonly previous: StorageRecord | undefined;

  constructor(type: StorageEvent['type'], record: StorageRecord, previous: StorageRecord | undefined) {
    this.type = type;
    this.key = record.key;
    this.revision = record.modRevision;
    this.record = record;
    this.previous = previous;
  }
}

/** Returns the create event of a key. @param make default {@link heldRecord} */
export function createEvent(
  key: string,
  text: string,
  revision: Revision,
  decoded: unknown,
  make = heldRecord,
): WriteEvent {
  return new WriteEvent('create', make(key, text, revision, revision, decoded), undefined);
}

/** Returns the update or delete event over the current version of a key. @param make default {@link heldRecord} */
export function replaceEvent(
  type: 'update' | 'delete',
  current: StorageRecord,
  text: string,
  revision: Revision,
  decoded: unknown,
  make = heldRecord,
): WriteEvent {
  return new WriteEvent(type, make(current.key, text, revision, current.createRevision, decoded), current);
}
