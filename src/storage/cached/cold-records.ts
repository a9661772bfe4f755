/**
 * The current versions of a store that is elsewhere and larger than memory: their keys and revisions are in memory, their
 * texts only while they are used.
 *
 * @module
 */
import { nextTurn } from '../../foundation/index.js';
import type { MemoryBudget } from '../memory-budget.js';
import { lengthOfText } from '../record-texts.js';
import { HEADROOM, TextReservation, type ReserveText } from '../remote/text-reservation.js';
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
   * @param maxBytes how many bytes the texts may have together: in the order of the revisions, as many as fit
   * @throws StorageError `Unavailable`
   */
  versions(revisions: readonly Revision[], maxBytes: number): Promise<FoundVersions>;
}

/** Versions that were asked for. */
export interface FoundVersions {
  readonly records: readonly StorageRecord[];
  /** The bytes of the texts that did not fit, by revision. */
  readonly tooLong: ReadonlyMap<Revision, number>;
}

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
  /** How many bytes the texts may have: those who ask have reserved them. */
  maxBytes: number;
  readonly found: Map<Revision, StorageRecord>;
  /** The bytes of the texts that have not been read, because they are longer. */
  readonly tooLong: Map<Revision, number>;
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
   * asked for in a turn of the event loop, or a few for many. The memory of texts is reserved before they are read.
   *
   * @returns undefined when the store no longer has one of the versions
   * @throws StorageError `Unavailable`; what `reserve` throws
   */
  async whole(records: readonly StorageRecord[], reserve?: ReserveText): Promise<readonly StorageRecord[] | undefined> {
    const reservation = new TextReservation(reserve);
    const all: StorageRecord[] = [];
    while (all.length < records.length) {
      const part = records.slice(all.length, all.length + this.#answerRecords).map(atHand);
      const found = await this.#fetch(
        part.filter((record) => record instanceof ColdRecord),
        reservation,
      );
      for (const record of part) {
        const whole = record instanceof ColdRecord ? found?.get(record.modRevision) : record;
        if (whole === undefined) return undefined;
        all.push(whole);
      }
    }
    return all;
  }

  /**
   * Returns the first of some records as {@link whole} does: at least one, and no more than one answer has, unless one text
   * is longer. The memory of the texts is reserved before they are read.
   *
   * @throws StorageError `Unavailable`; what `reserve` throws
   */
  async first(records: readonly StorageRecord[], reserve?: ReserveText): Promise<readonly StorageRecord[] | undefined> {
    const part = records.slice(0, this.#answerRecords).map(atHand);
    const reservation = new TextReservation(reserve);
    const read = await this.#ask(
      part.filter((record) => record instanceof ColdRecord),
      reservation,
    );
    const all: StorageRecord[] = [];
    for (const record of part) {
      if (!(record instanceof ColdRecord)) {
        all.push(record);
        continue;
      }
      const whole = read.found.get(record.modRevision);
      if (whole !== undefined) all.push(this.hold(record, whole));
      else if (read.tooLong.has(record.modRevision)) break;
      else return undefined;
    }
    return all.length === 0 ? this.whole(records.slice(0, 1), reserve) : all;
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
    const fitting = Math.floor(ANSWER_LENGTH / (HEADROOM * Math.max(1, this.#expectedLength)));
    return Math.min(Math.max(fitting, MIN_ANSWER_RECORDS), MAX_ANSWER_RECORDS);
  }

  /** Reads all versions of an answer. Returns undefined when the store no longer has one. */
  async #fetch(
    records: readonly ColdRecord[],
    reservation: TextReservation,
  ): Promise<ReadonlyMap<Revision, StorageRecord> | undefined> {
    const all = new Map<Revision, StorageRecord>();
    const tooLong = new Map<Revision, number>();
    for (let missing = records; missing.length > 0;) {
      const asked = fitting(missing, tooLong);
      const read = tooLong.size === 0 ? this.#ask(asked, reservation) : this.#askExactly(asked, tooLong, reservation);
      const answer = await read;
      for (const record of asked) {
        const { modRevision } = record;
        const whole = answer.found.get(modRevision);
        const bytes = answer.tooLong.get(modRevision);
        if (whole !== undefined) {
          all.set(modRevision, this.hold(record, whole));
          reservation.use(lengthOfText(whole));
        } else if (bytes === undefined) return undefined;
        else tooLong.set(modRevision, bytes);
      }
      missing = missing.filter(({ modRevision }) => !all.has(modRevision));
    }
    return all;
  }

  /** Asks for versions of unknown lengths, together with others who ask in this turn. */
  async #ask(records: readonly ColdRecord[], reservation: TextReservation): Promise<ReadAnswer> {
    const [first] = records;
    if (first === undefined) return { found: new Map(), tooLong: new Map() };
    const bytes = Math.min(Math.ceil(records.length * this.#expectedLength * HEADROOM), ANSWER_LENGTH);
    reservation.need(bytes);
    const batches = new Set<Batch>();
    for (const record of records) batches.add(this.#reading.get(record.modRevision) ?? this.#join(record));
    if (this.#next !== undefined && batches.has(this.#next)) this.#next.maxBytes += bytes;
    const answer = { found: new Map<Revision, StorageRecord>(), tooLong: new Map<Revision, number>() };
    for (const { done, found, tooLong } of batches) {
      await done;
      for (const { modRevision } of records) {
        const read = found.get(modRevision);
        const longer = tooLong.get(modRevision);
        if (read !== undefined) answer.found.set(modRevision, read);
        else if (longer !== undefined) answer.tooLong.set(modRevision, longer);
      }
    }
    return answer;
  }

  /** Asks for versions of known lengths. */
  async #askExactly(
    records: readonly ColdRecord[],
    lengths: ReadonlyMap<Revision, number>,
    reservation: TextReservation,
  ): Promise<ReadAnswer> {
    let bytes = 0;
    for (const { modRevision } of records) bytes += lengths.get(modRevision) ?? 0;
    reservation.need(bytes);
    const answer = { found: new Map<Revision, StorageRecord>(), tooLong: new Map<Revision, number>() };
    await this.#request(records, bytes, answer);
    return answer;
  }

  #join(record: ColdRecord): Batch {
    const batch = (this.#next ??= this.#newBatch());
    batch.records.push(record);
    this.#reading.set(record.modRevision, batch);
    return batch;
  }

  #newBatch(): Batch {
    const batch: Batch = {
      ...{ records: [], maxBytes: 0, found: new Map(), tooLong: new Map() },
      done: nextTurn().then(() => {
        this.#next = undefined;
        return this.#send(batch);
      }),
    };
    // Each of those who wait gets the error.
    batch.done.catch(() => undefined);
    return batch;
  }

  /** Sends the requests of a batch, whose answers have a limited length. */
  async #send(batch: Batch): Promise<void> {
    const { records, maxBytes } = batch;
    try {
      const ofOne = Math.max(1, maxBytes / records.length);
      const size = Math.min(Math.max(Math.floor(ANSWER_LENGTH / ofOne), 1), MAX_ANSWER_RECORDS);
      for (let start = 0; start < records.length; start += size) {
        const part = records.slice(start, start + size);
        await this.#request(part, Math.ceil(part.length * ofOne), batch);
      }
    } finally {
      for (const { modRevision } of records) this.#reading.delete(modRevision);
    }
  }

  async #request(
    records: readonly ColdRecord[],
    maxBytes: number,
    into: Pick<Batch, 'found' | 'tooLong'>,
  ): Promise<void> {
    const revisions = records.map(({ modRevision }) => modRevision);
    const answer = await this.#source.versions(revisions, maxBytes);
    for (const record of answer.records) {
      this.#fetched += 1;
      this.#fetchedLength += lengthOfText(record);
      into.found.set(record.modRevision, record);
    }
    for (const [revision, bytes] of answer.tooLong) into.tooLong.set(revision, bytes);
  }
}

/** The versions that have been read, of those that were asked for. */
interface ReadAnswer {
  readonly found: ReadonlyMap<Revision, StorageRecord>;
  /** The bytes of the texts that have not been read. */
  readonly tooLong: ReadonlyMap<Revision, number>;
}

/** Returns the first records whose texts fit into an answer, and at least one; all while no length is known. */
function fitting(records: readonly ColdRecord[], lengths: ReadonlyMap<Revision, number>): readonly ColdRecord[] {
  let bytes = 0;
  const end = records.findIndex(({ modRevision }, index) => {
    bytes += lengths.get(modRevision) ?? 0;
    return index > 0 && bytes > ANSWER_LENGTH;
  });
  return end < 0 ? records : records.slice(0, end);
}

/** Returns the whole record if it is in memory. */
function atHand(record: StorageRecord): StorageRecord {
  if (!(record instanceof ColdRecord) || record.held === undefined) return record;
  record.held.isUsed = true;
  return record.held.record;
}
