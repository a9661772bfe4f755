/**
 * Records whose texts are in memory only while they are used. The record itself stays, so that a version is always the
 * same instance; its text leaves the memory, and comes back when it is read.
 *
 * @module
 */
import type { MemoryAccount, MemoryBudget } from '../../memory-budget.js';
import type { Revision, StorageRecord } from '../../storage.js';
import type { MakeRecord } from './record.js';

/** Estimated memory of a text besides its characters: the string, its entry in the cache, and the reference to it. */
const HELD_TEXT_BYTES = 72;

/** The text of a record while it is in memory. */
class HeldText {
  readonly record: EvictableRecord;
  readonly text: string;
  /**
   * Whether it was read again since the cache last looked at it for eviction. So a list that reads each text once does not
   * evict the texts in use.
   */
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

/**
 * The texts of a store that are in memory, up to a limit. Beyond it, texts that were not read since the last look at them
 * are evicted (CLOCK: the texts form a circle, and a hand goes round).
 */
export class TextCache {
  readonly #maxBytes: number;
  readonly #read: (record: EvictableRecord) => string;
  readonly #held: HeldText[] = [];
  #hand = 0;
  #bytes = 0;
  #account: MemoryAccount | undefined;
  #fetched = 0;

  /**
   * @param maxBytes maximum bytes of the texts in memory, including the overhead of each
   * @param read reads the text of a record from the store
   */
  constructor(maxBytes: number, read: (record: EvictableRecord) => string) {
    this.#maxBytes = maxBytes;
    this.#read = read;
  }

  /** Bytes of the texts in memory. */
  get bytes(): number {
    return this.#bytes;
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
    if (held !== undefined) this.#add(held);
  }

  /** Returns the text of a record that is not in memory. @throws what reading the store throws */
  fetch(record: EvictableRecord): string {
    const text = this.#read(record);
    this.#fetched += 1;
    const held = new HeldText(record, text);
    record.move(held);
    this.#add(held);
    return text;
  }

  /** Counts the texts against a budget, which may ask for their memory. */
  countAgainst(budget: MemoryBudget): void {
    this.#account?.close();
    this.#account = budget.openCache('objectTexts', (bytes) => this.#evict(this.#bytes - bytes));
    this.#account.hold(this.#bytes);
  }

  /** Evicts all texts. */
  clear(): void {
    this.#evict(0);
    this.#account?.close();
    this.#account = undefined;
  }

  /** Adds a text after others have made room; one that is longer than the limit leaves the memory at once. */
  #add(held: HeldText): void {
    const bytes = bytesOf(held);
    if (bytes > this.#maxBytes) return held.record.move(this);
    this.#evict(this.#maxBytes - bytes);
    this.#held.push(held);
    this.#count(bytes);
  }

  #evict(targetBytes: number): void {
    while (this.#bytes > targetBytes && this.#held.length > 0) {
      if (this.#hand >= this.#held.length) this.#hand = 0;
      const held = this.#held[this.#hand] as HeldText;
      if (held.isUsed) {
        held.isUsed = false;
        this.#hand += 1;
      } else this.#remove(held);
    }
  }

  /** Removes the text at the hand. The newest text takes its place, to which the hand comes last. */
  #remove(held: HeldText): void {
    held.record.move(this);
    this.#count(-bytesOf(held));
    const last = this.#held.pop();
    if (last === undefined || last === held) {
      this.#hand = 0;
      return;
    }
    this.#held[this.#hand] = last;
    this.#hand += 1;
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.#account?.hold(bytes);
  }
}

const bytesOf = ({ text }: HeldText): number => text.length + HELD_TEXT_BYTES;
