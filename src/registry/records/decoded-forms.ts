/**
 * The decoded forms of records in one server. A record is parsed once while it is in use; a bound limits the memory.
 *
 * @module
 */
import { IdleRelease, type Clock, type Steps, type StoredObject, type Work } from '../../foundation/index.js';
import type { MemoryAccount, MemoryBudget, StorageRecord } from '../../storage/index.js';
import { parseRecord, parseRecordSteps } from './record-codec.js';

/** Share of the history and the caches that decoded forms may take. */
const BUDGET_SHARE = 1 / 4;

/**
 * Estimated bytes of a decoded form for each character of its text. Strings and numbers take two to four bytes; the field
 * sets of its managers and the cached no-op apply intents take the rest.
 */
const BYTES_PER_CHARACTER = 6;
/** Estimated bytes of each object and list in addition: two characters can make one. */
const CONTAINER_BYTES = 48;

const MIB = 1024 * 1024;
/** Maximum bytes of what is kept decoded, whatever the budget. A larger cache slows garbage collection. */
const MAX_READ_BYTES = 54 * MIB;
const MAX_WRITTEN_BYTES = 13 * MIB;
const MAX_CONVERTED_BYTES = 13 * MIB;
const MAX_BYTES = MAX_READ_BYTES + MAX_WRITTEN_BYTES + MAX_CONVERTED_BYTES;

/** Bytes from which what is decoded is released when nobody uses it. */
const RELEASED_BYTES = 4 * MIB;
/** Reads of a server in half a minute that do not count as use: those of its own Leases, for example. */
const IDLE_READS = 100;

/** Estimates the bytes of a decoded form from its text. A bracket in a string counts as well. */
function decodedBytes(text: string): number {
  let containers = 0;
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) containers += 1;
  return text.length * BYTES_PER_CHARACTER + containers * CONTAINER_BYTES;
}

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
  /** Bytes of each entry. */
  readonly #bytes: number[] = [];
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  /** Current maximum of the total. */
  #allowedBytes: number;
  readonly #onEvict: (entry: Entry) => void;
  #oldest = 0;
  #count = 0;
  #totalBytes = 0;

  /**
   * @param maxEntries maximum number of entries
   * @param maxBytes maximum bytes of all; the newest entry is kept whatever its size
   * @param onEvict called with each evicted entry
   */
  constructor(maxEntries: number, maxBytes: number, onEvict: (entry: Entry) => void) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = this.#allowedBytes = maxBytes;
    this.#onEvict = onEvict;
  }

  /** Bytes of all entries. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  add(entry: Entry, bytes: number): void {
    if (this.#count === this.#maxEntries) this.evictOldest();
    // The places are used in turn, so the lists grow by one until they have their full length.
    const place = (this.#oldest + this.#count) % this.#maxEntries;
    this.#entries[place] = entry;
    this.#bytes[place] = bytes;
    this.#count += 1;
    this.#totalBytes += bytes;
    while (this.#totalBytes > this.#allowedBytes && this.#count > 1) this.evictOldest();
  }

  /** Evicts all entries. */
  clear(): void {
    while (this.#count > 0) this.evictOldest();
  }

  /** Keeps nothing but the newest entry, until {@link restore}. */
  suspend(): void {
    this.#allowedBytes = 0;
    while (this.#count > 1) this.evictOldest();
  }

  /** Allows the maximum again. */
  restore(): void {
    this.#allowedBytes = this.#maxBytes;
  }

  /** Evicts the oldest entry. Returns whether there was one. */
  evictOldest(): boolean {
    if (this.#count === 0) return false;
    const entry = this.#entries[this.#oldest];
    this.#entries[this.#oldest] = undefined;
    this.#totalBytes -= this.#bytes[this.#oldest] ?? 0;
    this.#oldest = (this.#oldest + 1) % this.#maxEntries;
    this.#count -= 1;
    if (entry !== undefined) this.#onEvict(entry);
    return true;
  }
}

interface Conversion {
  readonly forms: ConvertedForms;
  readonly record: StorageRecord;
}

function forgetDecoded(record: StorageRecord): void {
  record.decoded = undefined;
}

/**
 * The decoded forms of one server, bounded by a share of its memory budget. Those of a server that nobody uses are
 * released.
 */
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
  readonly #idle: IdleRelease;
  /** The share of the budget. It is taken at once, and given back only while needed memory is short. */
  readonly #bytes: number;

  /**
   * @param budget memory budget; a share of it is taken at once
   * @param clock clock for the release of forms that nobody uses
   */
  constructor(budget: MemoryBudget, clock: Clock) {
    this.#budget = budget;
    this.#bytes = Math.floor(Math.min(MAX_BYTES, budget.historyBytes * BUDGET_SHARE));
    this.#account = budget.openCache('decodedForms', () => this.#giveUp());
    this.#account.hold(this.#bytes);
    const share = (maximum: number): number => (this.#bytes * maximum) / MAX_BYTES;
    this.#recentlyRead = new Ring(16_384, share(MAX_READ_BYTES), forgetDecoded);
    this.#recentlyWritten = new Ring(256, share(MAX_WRITTEN_BYTES), forgetDecoded);
    this.#converted = new Ring<Conversion>(
      4096,
      share(MAX_CONVERTED_BYTES),
      ({ forms, record }) => void forms.delete(record),
    );
    const held = {
      isLarge: () =>
        this.#recentlyRead.totalBytes + this.#recentlyWritten.totalBytes + this.#converted.totalBytes >= RELEASED_BYTES,
      releaseOne: () => this.#rings.some((ring) => ring.evictOldest()),
    };
    this.#idle = new IdleRelease(clock, held, IDLE_READS);
  }

  /**
   * Returns the object of a record. The object is shared and must not be changed.
   *
   * @throws Error when the stored text is not an object (the store is damaged)
   */
  read(record: StorageRecord): StoredObject {
    this.#idle.used();
    if (record.decoded !== undefined) return record.decoded as StoredObject;
    return this.#keep(record, parseRecord(record));
  }

  /** Does what {@link read} does, in steps. */
  *readSteps(record: StorageRecord, work: Work): Steps<StoredObject> {
    this.#idle.used();
    if (record.decoded !== undefined) return record.decoded as StoredObject;
    const parsed = yield* parseRecordSteps(record, work);
    // Another reader may have been faster.
    return (record.decoded as StoredObject | undefined) ?? this.#keep(record, parsed);
  }

  #keep(record: StorageRecord, parsed: StoredObject): StoredObject {
    record.decoded = parsed;
    if (this.#account.usedBytes === 0) this.#restore();
    this.#recentlyRead.add(record, decodedBytes(record.text));
    this.#idle.grown();
    return parsed;
  }

  /** Registers a record that was just written for a new object, or for a deleted one, and holds a decoded form. */
  addWritten(record: StorageRecord): void {
    this.#recentlyWritten.add(record, decodedBytes(record.text));
    this.#wrote();
  }

  /** Registers a record that replaces another one and holds a decoded form. An object that changes will change again. */
  addReplaced(record: StorageRecord): void {
    this.#recentlyRead.add(record, decodedBytes(record.text));
    this.#wrote();
  }

  #wrote(): void {
    this.#idle.used();
    this.#idle.grown();
  }

  /** Caches the converted form of a record. */
  cacheConverted(forms: ConvertedForms, record: StorageRecord, form: ConvertedForm): void {
    forms.set(record, form);
    this.#converted.add({ forms, record }, decodedBytes(form.text));
    this.#idle.grown();
  }

  /** Drops all forms. Another server may have the same records. */
  close(): void {
    this.#idle.close();
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

  get #rings(): readonly Pick<Ring<unknown>, 'suspend' | 'restore' | 'clear' | 'evictOldest'>[] {
    return [this.#recentlyRead, this.#recentlyWritten, this.#converted];
  }
}
