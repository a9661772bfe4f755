import type { HistoryBudget } from '../history-budget.js';
import { VersionRecord } from '../state/record.js';
import type { Revision, StorageRecord } from '../storage.js';
import type { KeySpace } from './key-space.js';
import { stampDecoded, stampedText } from './stamp.js';
import type { KeyValue } from './wire/key-values.js';

/** Most text that is kept of what was read and written lately, in UTF-16 code units, by default. */
export const DEFAULT_MAX_CACHED_TEXT_LENGTH = 64 * 1024 * 1024;

/** Part of a budget that the versions known here may take. */
const BUDGET_SHARE = 1 / 4;

/** A value that something else wrote. */
export class ForeignValueError extends Error {
  override readonly name = 'ForeignValueError';
}

/**
 * Makes records of what etcd has. A version that was seen lately is the same instance again, wherever it is read, so that its
 * text is made once, and decoded once.
 */
export class Records {
  readonly #keys: KeySpace;
  #maxTextLength: number;
  #budget: HistoryBudget | undefined;
  /** By the revision that wrote them, in the order in which they were first seen. */
  readonly #known = new Map<Revision, StorageRecord>();
  #textLength = 0;

  constructor(keys: KeySpace, maxTextLength: number) {
    this.#keys = keys;
    this.#maxTextLength = maxTextLength;
  }

  /** Counts what is known against a budget, of which it takes no more than a part. */
  shareBudget(budget: HistoryBudget): void {
    for (const record of this.#known.values()) {
      this.#budget?.releaseText(record);
      budget.holdText(record);
    }
    this.#budget = budget;
    this.#maxTextLength = Math.min(this.#maxTextLength, budget.limitBytes * BUDGET_SHARE);
    this.#evict(undefined);
  }

  /** The version of a key that is known already. */
  find(key: string, revision: Revision): StorageRecord | undefined {
    const record = this.#known.get(revision);
    return record?.key === key ? record : undefined;
  }

  /**
   * The record of a version.
   *
   * @param revision the one that it is of; for the last version of a key that is gone, the one that removed it
   * @throws ForeignValueError
   */
  read({ key, value, modRevision, createRevision }: KeyValue, revision = modRevision): StorageRecord {
    return this.#at(this.#keys.decode(key), value, revision, createRevision);
  }

  /** The record of a version that was just written, with the decoded form that its writer has. */
  written(key: string, value: Buffer, revision: Revision, createRevision: Revision, decoded: unknown): StorageRecord {
    stampDecoded(decoded, revision);
    // Its event may have come before the answer.
    const record = this.#at(key, value, revision, createRevision);
    if (decoded !== undefined) record.decoded = decoded;
    return record;
  }

  /** Forgets all. */
  clear(): void {
    for (const record of this.#known.values()) this.#budget?.releaseText(record);
    this.#known.clear();
    this.#textLength = 0;
  }

  #at(key: string, value: Buffer, revision: Revision, createRevision: Revision): StorageRecord {
    return (
      this.find(key, revision) ??
      this.#keep(new VersionRecord(key, this.#text(key, value, revision), revision, createRevision, undefined))
    );
  }

  #text(key: string, value: Buffer, revision: Revision): string {
    const text = stampedText(value, revision);
    if (text === undefined)
      throw new ForeignValueError(
        `the value of ${key} in etcd is not the text of an object as it is kept here: something else wrote it, and it is left as it is`,
      );
    return text;
  }

  #keep(record: StorageRecord): StorageRecord {
    const other = this.#known.get(record.modRevision);
    if (other !== undefined) this.#forget(other);
    this.#known.set(record.modRevision, record);
    this.#textLength += record.text.length;
    this.#budget?.holdText(record);
    this.#evict(record);
    return record;
  }

  /** Forgets what was seen first until the rest may be kept, but not the one that was just seen. */
  #evict(seen: StorageRecord | undefined): void {
    for (const oldest of this.#known.values()) {
      if (this.#textLength <= this.#maxTextLength || oldest === seen) return;
      this.#forget(oldest);
    }
  }

  #forget(record: StorageRecord): void {
    this.#known.delete(record.modRevision);
    this.#textLength -= record.text.length;
    this.#budget?.releaseText(record);
  }
}
