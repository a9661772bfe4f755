/**
 * The decoded forms of records in one server. A record is parsed once while it is in use; a bound limits the memory.
 *
 * @module
 */
import type { StoredObject } from '../meta/object.js';
import type { MemoryAccount, MemoryBudget } from '../storage/memory-budget.js';
import type { StorageRecord } from '../storage/storage.js';
import { parseRecord } from './record-codec.js';

/** Share of the history and the caches that decoded forms may take. */
const BUDGET_SHARE = 1 / 4;

/**
 * Estimated bytes of a decoded form for each character of its text. The object takes two to four bytes; the field sets
 * of its managers and the cached no-op apply intents take the rest.
 */
const BYTES_PER_CHARACTER = 6;

/**
 * Maximum length of the text that is kept decoded, in characters, whatever the budget. A larger cache slows garbage
 * collection.
 */
const MAX_READ_TEXT = 8 * 1024 * 1024;
const MAX_WRITTEN_TEXT = 2 * 1024 * 1024;
const MAX_CONVERTED_TEXT = 2 * 1024 * 1024;
const MAX_TEXT = MAX_READ_TEXT + MAX_WRITTEN_TEXT + MAX_CONVERTED_TEXT;

/** A record converted to a version other than the stored one. */
export interface ConvertedForm {
  readonly object: StoredObject;
  readonly text: string;
}

/** The converted forms of one version of a kind. */
export type ConvertedForms = WeakMap<StorageRecord, ConvertedForm>;

/**
 * A bounded first-in, first-out list of the entries that hold a decoded form. When it is full, it evicts the oldest
 * entry.
 */
class Ring<Entry> {
  /** Grows up to the maximum number of entries. */
  readonly #entries: (Entry | undefined)[] = [];
  readonly #maxEntries: number;
  readonly #maxText: number;
  /** Present maximum of the total length. */
  #allowedText: number;
  readonly #textLength: (entry: Entry) => number;
  readonly #onEvict: (entry: Entry) => void;
  #oldest = 0;
  #count = 0;
  #totalText = 0;

  /**
   * @param maxEntries maximum number of entries
   * @param maxText maximum total length of their texts, in characters
   * @param textLength returns the length of an entry's text
   * @param onEvict called with each evicted entry
   */
  constructor(
    maxEntries: number,
    maxText: number,
    textLength: (entry: Entry) => number,
    onEvict: (entry: Entry) => void,
  ) {
    this.#maxEntries = maxEntries;
    this.#maxText = this.#allowedText = maxText;
    this.#textLength = textLength;
    this.#onEvict = onEvict;
  }

  add(entry: Entry): void {
    if (this.#count === this.#maxEntries) this.#evictOldest();
    // The places are used in turn, so the list grows by one until it has its full length.
    const next = this.#oldest + this.#count;
    if (next === this.#entries.length && next < this.#maxEntries) this.#entries.push(entry);
    else this.#entries[next % this.#maxEntries] = entry;
    this.#count += 1;
    this.#totalText += this.#textLength(entry);
    while (this.#totalText > this.#allowedText && this.#count > 1) this.#evictOldest();
  }

  /** Evicts all entries. */
  clear(): void {
    while (this.#count > 0) this.#evictOldest();
  }

  /** Keeps nothing but the newest entry, until {@link restore}. */
  suspend(): void {
    this.#allowedText = 0;
    while (this.#count > 1) this.#evictOldest();
  }

  /** Allows the maximum again. */
  restore(): void {
    this.#allowedText = this.#maxText;
  }

  #evictOldest(): void {
    const entry = this.#entries[this.#oldest];
    this.#entries[this.#oldest] = undefined;
    this.#oldest = (this.#oldest + 1) % this.#maxEntries;
    this.#count -= 1;
    if (entry === undefined) return;
    this.#totalText -= this.#textLength(entry);
    this.#onEvict(entry);
  }
}

interface Conversion {
  readonly forms: ConvertedForms;
  readonly record: StorageRecord;
  readonly textLength: number;
}

const textLengthOf = ({ text }: StorageRecord): number => text.length;

function forgetDecoded(record: StorageRecord): void {
  record.decoded = undefined;
}

/** The decoded forms of one server, bounded by a share of its memory budget. */
export class DecodedForms {
  /**
   * Records that were read, and those of changed objects, stay long, so that work on some ten thousand small objects
   * does not parse each of them again and again.
   */
  readonly #recentlyRead: Ring<StorageRecord>;
  /**
   * A record that was just written is read by its writer and its watchers, then rarely. It is evicted early, while it
   * is cheap to collect.
   */
  readonly #recentlyWritten: Ring<StorageRecord>;
  readonly #converted: Ring<Conversion>;
  readonly #budget: MemoryBudget;
  readonly #account: MemoryAccount;
  /** The share of the budget. It is taken at once, and given back only while needed memory is short. */
  readonly #bytes: number;

  /** @param budget memory budget; a share of it is taken at once */
  constructor(budget: MemoryBudget) {
    const text = Math.floor(Math.min(MAX_TEXT, (budget.historyBytes * BUDGET_SHARE) / BYTES_PER_CHARACTER));
    this.#budget = budget;
    this.#bytes = text * BYTES_PER_CHARACTER;
    this.#account = budget.openCache('decodedForms', () => this.#giveUp());
    this.#account.hold(this.#bytes);
    const share = (maximum: number): number => (text * maximum) / MAX_TEXT;
    this.#recentlyRead = new Ring(16_384, share(MAX_READ_TEXT), textLengthOf, forgetDecoded);
    this.#recentlyWritten = new Ring(256, share(MAX_WRITTEN_TEXT), textLengthOf, forgetDecoded);
    this.#converted = new Ring<Conversion>(
      4096,
      share(MAX_CONVERTED_TEXT),
      ({ textLength }) => textLength,
      ({ forms, record }) => void forms.delete(record),
    );
  }

  /**
   * Returns the object of a record. The object is shared and must not be changed.
   *
   * @throws Error when the stored text is not an object (the store is damaged)
   */
  read(record: StorageRecord): StoredObject {
    if (record.decoded !== undefined) return record.decoded as StoredObject;
    const parsed = parseRecord(record);
    record.decoded = parsed;
    if (this.#account.usedBytes === 0) this.#restore();
    this.#recentlyRead.add(record);
    return parsed;
  }

  /** Registers a record that was just written for a new object, or for a deleted one, and holds a decoded form. */
  addWritten(record: StorageRecord): void {
    this.#recentlyWritten.add(record);
  }

  /** Registers a record that replaces another one and holds a decoded form. An object that changes will change again. */
  addReplaced(record: StorageRecord): void {
    this.#recentlyRead.add(record);
  }

  /** Caches the converted form of a record. */
  cacheConverted(forms: ConvertedForms, record: StorageRecord, form: ConvertedForm): void {
    forms.set(record, form);
    this.#converted.add({ forms, record, textLength: form.text.length });
  }

  /** Drops all forms. Another server may have the same records. */
  close(): void {
    for (const ring of this.#rings) ring.clear();
    this.#account.close();
  }

  #giveUp(): void {
    for (const ring of this.#rings) ring.suspend();
    this.#account.hold(-this.#account.usedBytes);
  }

  /** Takes the share again when there is plenty of memory. */
  #restore(): void {
    if (this.#budget.isScarce || this.#budget.usedBytes + 2 * this.#bytes > this.#budget.memoryBytes) return;
    for (const ring of this.#rings) ring.restore();
    this.#account.hold(this.#bytes);
  }

  get #rings(): readonly Pick<Ring<unknown>, 'suspend' | 'restore' | 'clear'>[] {
    return [this.#recentlyRead, this.#recentlyWritten, this.#converted];
  }
}
