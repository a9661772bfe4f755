/**
 * The current versions of a store that is elsewhere and larger than memory: their keys and revisions are in memory, their
 * texts only while they are used.
 *
 * @module
 */
import { nextTurn } from '../../foundation/index.js';
import type { MemoryBudget } from '../memory-budget.js';
import { lengthOfText } from '../record-texts.js';
import { TextRing, type RingText } from '../state/records/text-ring.js';
import type { Revision, StorageRecord } from '../storage.js';

/** The current version of a key, without its text. */
export type VersionHead = Pick<StorageRecord, 'key' | 'modRevision' | 'createRevision'>;

/** Some keys of a store. */
export interface HeadPage {
  /** In key order. */
  readonly heads: readonly VersionHead[];
  /** The revision whose state the page shows. */
  readonly revision: Revision;
}

/** The reads of an engine on which a copy without texts depends. */
export interface VersionSource {
  /**
   * Returns the first keys after one, at a revision; absent: the current one.
   *
   * @throws StorageError `Compacted`, `Unavailable`
   */
  heads(after: string, limit: number, revision: Revision | undefined): Promise<HeadPage>;
  /**
   * Returns the versions that some revisions wrote, without those that have been compacted, in one request. Those that
   * cannot be read are among them ({@link StorageRecord.unreadable}).
   *
   * @throws StorageError `Unavailable`
   */
  versions(revisions: readonly Revision[]): Promise<readonly StorageRecord[]>;
}

/** Reserves memory before texts are read into it, in bytes. What it throws refuses the read. */
export type ReserveText = (bytes: number) => void;

/** A whole record in memory. */
class HeldRecord implements RingText {
  readonly owner: ColdRecord;
  readonly record: StorageRecord;
  isUsed = false;

  constructor(owner: ColdRecord, record: StorageRecord) {
    this.owner = owner;
    this.record = record;
  }

  get text(): string {
    return this.record.text;
  }
}

/**
 * A version whose text may have left the memory. It stays inside the copy of the store: readers get the whole record
 * ({@link ColdRecords.whole}).
 */
export class ColdRecord implements StorageRecord {
  readonly key: string;
  readonly modRevision: Revision;
  readonly createRevision: Revision;
  /** The whole record while it is in memory. */
  held: HeldRecord | undefined;

  constructor({ key, modRevision, createRevision }: VersionHead) {
    this.key = key;
    this.modRevision = modRevision;
    this.createRevision = createRevision;
    this.held = undefined;
  }

  get text(): string {
    return wholeOf(this).text;
  }

  /** Not the length, which is not known while the text is not in memory; it says only that the text may leave it. */
  get textLength(): number {
    return 0;
  }

  get decoded(): unknown {
    return wholeOf(this).decoded;
  }

  set decoded(value: unknown) {
    wholeOf(this).decoded = value;
  }
}

/** A function: a private accessor would cost each record a field. */
function wholeOf({ held, key, modRevision }: ColdRecord): StorageRecord {
  if (held === undefined) throw new Error(`the text of ${key} at revision ${modRevision} is not in memory`);
  return held.record;
}

/** A request for versions, which all who ask for one in a turn of the event loop share. */
interface Batch {
  readonly records: ColdRecord[];
  readonly found: Map<Revision, StorageRecord>;
  /** Resolves when they have been read. */
  readonly done: Promise<void>;
}

/** Target length of the texts in one answer, in UTF-16 code units: an answer is decoded in one turn. */
const ANSWER_LENGTH = 2 * 1024 * 1024;
const MIN_ANSWER_RECORDS = 4;
const MAX_ANSWER_RECORDS = 5_000;
/** Length of a text of which nothing is known yet. */
const EXPECTED_LENGTH = 2 * 1024;

/** The records of a copy whose texts are in memory up to a limit. */
export class ColdRecords {
  readonly #source: VersionSource;
  readonly #ring: TextRing<HeldRecord>;
  /** The versions that are being read. */
  readonly #reading = new Map<Revision, Batch>();
  /** The request that is sent after this turn. */
  #next: Batch | undefined;
  /** Number and length of the texts that were read. */
  #fetched = 0;
  #fetchedLength = 0;

  /** @param maxBytes maximum bytes of the texts in memory, including the overhead of each */
  constructor(maxBytes: number, source: VersionSource) {
    this.#source = source;
    this.#ring = new TextRing(maxBytes, ({ owner }) => (owner.held = undefined));
  }

  /**
   * Makes the record of a version, which stays in memory as a whole until {@link keep} is called, unless it cannot be read:
   * then it is read again.
   */
  record(whole: StorageRecord, key: string): ColdRecord {
    const { modRevision, createRevision } = whole;
    const record = new ColdRecord({ key, modRevision, createRevision });
    if (whole.unreadable?.() === undefined) record.held = new HeldRecord(record, whole);
    return record;
  }

  /** Lets the text of a record leave the memory from now on. */
  keep({ held }: ColdRecord): void {
    if (held !== undefined) this.#ring.add(held);
  }

  /**
   * Puts a whole record into memory, unless it is there. Returns the one that is. One that cannot be read is not held, so
   * that it is read again.
   */
  hold(record: ColdRecord, whole: StorageRecord): StorageRecord {
    if (whole.unreadable?.() !== undefined) return whole;
    if (record.held !== undefined) {
      record.held.isUsed = true;
      return record.held.record;
    }
    record.held = new HeldRecord(record, whole);
    this.#ring.add(record.held);
    return whole;
  }

  /**
   * Returns whole records, in the same order. Those that are not in memory are read: with one request for all that are
   * asked for in a turn of the event loop, or a few for many.
   *
   * @returns undefined when the store no longer has one of the versions
   * @throws StorageError `Unavailable`; what `reserve` throws
   */
  async whole(records: readonly StorageRecord[], reserve?: ReserveText): Promise<readonly StorageRecord[] | undefined> {
    const all: StorageRecord[] = [];
    while (all.length < records.length) {
      const part = records.slice(all.length, all.length + this.#answerRecords).map(atHand);
      const missing = part.filter((record) => record instanceof ColdRecord);
      const expected = missing.length * this.#expectedLength;
      if (missing.length > 0) reserve?.(expected);
      const found = await this.#read(missing);
      let length = 0;
      for (const record of part) {
        const whole = record instanceof ColdRecord ? found.get(record.modRevision) : record;
        if (whole === undefined) return undefined;
        if (record instanceof ColdRecord) length += lengthOfText(whole);
        all.push(record instanceof ColdRecord ? this.hold(record, whole) : whole);
      }
      if (length > expected) reserve?.(length - expected);
    }
    return all;
  }

  /** Counts the texts against a budget, which may ask for their memory. */
  countAgainst(budget: MemoryBudget): void {
    this.#ring.countAgainst(budget);
  }

  /** Drops all texts. */
  clear(): void {
    this.#ring.clear();
  }

  get #expectedLength(): number {
    return this.#fetched === 0 ? EXPECTED_LENGTH : Math.ceil(this.#fetchedLength / this.#fetched);
  }

  /** Number of records that an answer may have. */
  get #answerRecords(): number {
    const fitting = Math.floor(ANSWER_LENGTH / Math.max(1, this.#expectedLength));
    return Math.min(Math.max(fitting, MIN_ANSWER_RECORDS), MAX_ANSWER_RECORDS);
  }

  /** Reads versions together with those that others ask for in this turn, and those that are on their way. */
  async #read(missing: readonly ColdRecord[]): Promise<ReadonlyMap<Revision, StorageRecord>> {
    const [first] = missing;
    if (first === undefined) return NONE;
    const batches = new Set<Batch>();
    for (const record of missing) batches.add(this.#reading.get(record.modRevision) ?? this.#join(record));
    const found = new Map<Revision, StorageRecord>();
    for (const batch of batches) {
      await batch.done;
      for (const { modRevision } of missing) {
        const read = batch.found.get(modRevision);
        if (read !== undefined) found.set(modRevision, read);
      }
    }
    return found;
  }

  #join(record: ColdRecord): Batch {
    const batch = (this.#next ??= this.#newBatch());
    batch.records.push(record);
    this.#reading.set(record.modRevision, batch);
    return batch;
  }

  #newBatch(): Batch {
    const records: ColdRecord[] = [];
    const found = new Map<Revision, StorageRecord>();
    const done = nextTurn().then(() => {
      this.#next = undefined;
      return this.#send(records, found);
    });
    // Each of those who wait gets the error.
    done.catch(() => undefined);
    return { records, found, done };
  }

  async #send(records: readonly ColdRecord[], found: Map<Revision, StorageRecord>): Promise<void> {
    try {
      for (let start = 0; start < records.length;) {
        const part = records.slice(start, start + this.#answerRecords);
        start += part.length;
        for (const record of await this.#source.versions(part.map(({ modRevision }) => modRevision))) {
          this.#fetched += 1;
          this.#fetchedLength += lengthOfText(record);
          found.set(record.modRevision, record);
        }
      }
    } finally {
      for (const { modRevision } of records) this.#reading.delete(modRevision);
    }
  }
}

const NONE: ReadonlyMap<Revision, StorageRecord> = new Map();

/** Returns the whole record if it is in memory. */
function atHand(record: StorageRecord): StorageRecord {
  if (!(record instanceof ColdRecord) || record.held === undefined) return record;
  record.held.isUsed = true;
  return record.held.record;
}
