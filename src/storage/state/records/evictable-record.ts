/**
 * Records whose texts are in memory only while they are used. The record itself stays, so that a version is always the
 * same instance; its text leaves the memory, and comes back when it is read.
 *
 * @module
 */
import type { MemoryBudget } from '../../memory-budget.js';
import type { Revision, StorageRecord } from '../../storage.js';
import type { MakeRecord } from './record.js';
import { TextRing, type RingText } from './text-ring.js';

/** The text of a record while it is in memory. */
class HeldText implements RingText {
  readonly record: EvictableRecord;
  readonly text: string;
  isUsed = false;

  constructor(record: EvictableRecord, text: string) {
    this.record = record;
    this.text = text;
  }
}

/** A version of a key whose text may leave the memory. */
export class EvictableRecord implements StorageRecord {
  readonly key: string;
  readonly modRevision: Revision;
  readonly createRevision: Revision;
  readonly textLength: number;
  decoded: unknown;
  form: unknown;
  encodings: unknown;
  /** The text, or the cache that fetches it. */
  #place: HeldText | TextCache;
  /** Not a field of every record: only encrypted values have it. */
  declare protection?: string | undefined;

  /** @param text the text, or its length while it is not in memory */
  constructor(
    cache: TextCache,
    key: string,
    text: string | number,
    modRevision: Revision,
    createRevision: Revision,
    decoded: unknown,
  ) {
    this.key = key;
    this.modRevision = modRevision;
    this.createRevision = createRevision;
    this.textLength = typeof text === 'number' ? text : text.length;
    this.decoded = decoded;
    this.form = undefined;
    this.encodings = undefined;
    this.#place = typeof text === 'number' ? cache : new HeldText(this, text);
  }

  /** @throws what the engine throws when it cannot read the text */
  get text(): string {
    const place = this.#place;
    if (place instanceof TextCache) return place.fetch(this);
    place.isUsed = true;
    return place.text;
  }

  /** The text, if it is in memory. */
  get held(): HeldText | undefined {
    return this.#place instanceof TextCache ? undefined : this.#place;
  }

  /** Sets where the text is from now on. Only the cache calls it. */
  move(place: HeldText | TextCache): void {
    this.#place = place;
  }
}

/** The texts of a store that are in memory, up to a limit ({@link TextRing}). */
export class TextCache {
  readonly #ring: TextRing<HeldText>;
  readonly #read: (record: EvictableRecord) => string;
  #fetched = 0;

  /**
   * @param maxBytes maximum bytes of the texts in memory, including the overhead of each
   * @param read reads the text of a record from the store
   */
  constructor(maxBytes: number, read: (record: EvictableRecord) => string) {
    this.#ring = new TextRing(maxBytes, ({ record }) => record.move(this));
    this.#read = read;
  }

  /** Bytes of the texts in memory. */
  get bytes(): number {
    return this.#ring.bytes;
  }

  /** Number of texts that were read from the store. */
  get fetched(): number {
    return this.#fetched;
  }

  /** Makes a record whose text stays in memory until {@link keep} is called. */
  readonly record: MakeRecord = (key, text, modRevision, createRevision, decoded) =>
    new EvictableRecord(this, key, text, modRevision, createRevision, decoded);

  /** Makes a record of a stored version whose text is not in memory. */
  unread(key: string, textLength: number, modRevision: Revision, createRevision: Revision): EvictableRecord {
    return new EvictableRecord(this, key, textLength, modRevision, createRevision, undefined);
  }

  /** Lets the text of a record leave the memory from now on: the store has it. */
  keep(record: StorageRecord): void {
    const held = record instanceof EvictableRecord ? record.held : undefined;
    if (held !== undefined) this.#ring.add(held);
  }

  /** Reads the text of a record into memory, unless it is there. @throws what reading the store throws */
  touch(record: StorageRecord): void {
    if (record instanceof EvictableRecord && record.held === undefined) this.fetch(record);
  }

  /** Returns the text of a record that is not in memory. @throws what reading the store throws */
  fetch(record: EvictableRecord): string {
    const text = this.#read(record);
    this.#fetched += 1;
    const held = new HeldText(record, text);
    record.move(held);
    this.#ring.add(held);
    return text;
  }

  /** Counts the texts against a budget, which may ask for their memory. */
  countAgainst(budget: MemoryBudget): void {
    this.#ring.countAgainst(budget);
  }

  /** Evicts all texts. */
  clear(): void {
    this.#ring.clear();
  }
}
