import { isJsonObject, jsonText, parsedJson } from '../../foundation/index.js';
import { compareKeys } from '../state/records/key-order.js';
import type { Revision, StorageRecord } from '../storage.js';

/** Revision of the records of a base: it precedes the first write of any store. */
const BASE_REVISION = 1;

/** Returns the text of an object with another revision. */
export function restamped(text: string, revision: Revision): string {
  const value = parsedJson(text);
  if (!isJsonObject(value) || !isJsonObject(value['metadata'])) return text;
  return jsonText({ ...value, metadata: { ...value['metadata'], resourceVersion: String(revision) } });
}

/** Returns a record for {@link BaseRecords}. @param text text of the object, at any revision */
export const baseRecord = (key: string, text: string): StorageRecord => ({
  ...{ key, text: restamped(text, BASE_REVISION), modRevision: BASE_REVISION, createRevision: BASE_REVISION },
  decoded: undefined,
});

/** The records of the base of layered stores, which never change. */
export class BaseRecords {
  readonly #byKey = new Map<string, StorageRecord>();
  /** In key order. */
  readonly #keys: readonly string[];

  constructor(records: Iterable<StorageRecord>) {
    for (const record of records) this.#byKey.set(record.key, record);
    this.#keys = [...this.#byKey.keys()].sort(compareKeys);
  }

  /** Returns whether the base has a key. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Returns the record of a key. */
  get(key: string): StorageRecord | undefined {
    return this.#byKey.get(key);
  }

  /** Returns whether a key begins with a prefix. */
  hasPrefix(prefix: string): boolean {
    return this.#keys.some((key) => key.startsWith(prefix));
  }

  /** Returns the records of a range, in key order. @param after the range starts after this key */
  range(prefix: string, after: string | undefined): StorageRecord[] {
    const found: StorageRecord[] = [];
    for (const [key, record] of this.#inOrder())
      if (key.startsWith(prefix) && (after === undefined || compareKeys(key, after) > 0)) found.push(record);
    return found;
  }

  *#inOrder(): Iterable<readonly [string, StorageRecord]> {
    for (const key of this.#keys) {
      const record = this.#byKey.get(key);
      if (record !== undefined) yield [key, record];
    }
  }
}
