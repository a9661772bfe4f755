import type { MemoryBudget } from '../memory-budget.js';
import type { Revision, StorageRecord } from '../storage.js';

/** Default maximum total length of the cached texts, in UTF-16 code units. */
export const DEFAULT_MAX_CACHED_TEXT_LENGTH = 64 * 1024 * 1024;

/** Share of the budget that the cached versions may take. */
const BUDGET_SHARE = 1 / 4;

/**
 * The recently seen versions of a store that is elsewhere, by revision. A version is the same instance wherever it is
 * read, so its text is made and decoded once.
 */
export class RecordCache {
  #maxTextLength: number;
  #budget: MemoryBudget | undefined;
  /** In the order in which they were first seen. */
  readonly #known = new Map<Revision, StorageRecord>();
  #textLength = 0;

  /** @param maxTextLength maximum total length of the texts, in UTF-16 code units */
  constructor(maxTextLength: number) {
    this.#maxTextLength = maxTextLength;
  }

  /** Counts the cached versions against a budget; they take at most a share of it. */
  shareBudget(budget: MemoryBudget): void {
    for (const record of this.#known.values()) {
      this.#budget?.releaseText(record);
      budget.holdText(record);
    }
    this.#budget = budget;
    this.#maxTextLength = Math.min(this.#maxTextLength, budget.historyBytes * BUDGET_SHARE);
    this.#evict(undefined);
  }

  /** Returns the version that a revision wrote. */
  get(revision: Revision): StorageRecord | undefined {
    return this.#known.get(revision);
  }

  /** Returns the version of a key that a revision wrote. */
  find(key: string, revision: Revision): StorageRecord | undefined {
    const record = this.#known.get(revision);
    return record?.key === key ? record : undefined;
  }

  /** Adds a version, drops the oldest ones beyond the limit, and returns it. */
  add(record: StorageRecord): StorageRecord {
    const other = this.#known.get(record.modRevision);
    if (other !== undefined) this.#drop(other);
    this.#known.set(record.modRevision, record);
    this.#textLength += record.text.length;
    this.#budget?.holdText(record);
    this.#evict(record);
    return record;
  }

  /** Drops all versions. */
  clear(): void {
    for (const record of this.#known.values()) this.#budget?.releaseText(record);
    this.#known.clear();
    this.#textLength = 0;
  }

  /** Drops the oldest records until the limit holds, except the one just added. */
  #evict(added: StorageRecord | undefined): void {
    for (const oldest of this.#known.values()) {
      if (this.#textLength <= this.#maxTextLength || oldest === added) return;
      this.#drop(oldest);
    }
  }

  #drop(record: StorageRecord): void {
    this.#known.delete(record.modRevision);
    this.#textLength -= record.text.length;
    this.#budget?.releaseText(record);
  }
}
