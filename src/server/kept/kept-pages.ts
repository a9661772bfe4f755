/**
 * Short lists in the form in which objects are stored, which are requested again while none of their objects changes: a
 * page of a list, a list by label. Their items are kept as bytes, which answers share, so that nobody encodes them again.
 *
 * A run of items would serve lists that differ by an object as well, but each request looks for each of its items. A page
 * is found by comparing references.
 *
 * @module
 */
import type { StorageRecord } from '../../storage/index.js';
import type { CompressedChunks } from '../codec/compression.js';
import type { KeptEncodings } from './kept-encodings.js';

/** Maximum number of first objects of lists that are known of a kind, and of lists that begin with the same one. */
const MAX_STARTS = 256;
const MAX_OF_START = 4;
/** Estimated overhead of a page, and of each of its items, in bytes. */
const PAGE_BYTES = 512;
const ITEM_BYTES = 8;

/** A list that was requested, and its items while they are kept. */
class Page implements CompressedChunks {
  readonly count: number;
  readonly lastKey: string;
  /** The sum of the versions of its objects. */
  versions: number;
  /** Whether it was requested since its last chance. */
  used = true;
  /** Index among what is kept. */
  slot = -1;
  /** Memory that is counted for it. */
  heldBytes = 0;
  #records: readonly StorageRecord[] = [];
  #chunks: readonly Uint8Array[] = [];
  #compressed: (Uint8Array | undefined)[] = [];
  readonly #encodings: KeptEncodings;

  constructor(encodings: KeptEncodings, records: readonly StorageRecord[]) {
    this.#encodings = encodings;
    this.count = records.length;
    this.lastKey = lastKeyOf(records);
    this.versions = versionsOf(records);
  }

  get chunks(): readonly Uint8Array[] {
    return this.#chunks;
  }

  /** Returns whether it is a list of the same first and last object, and of as many. */
  isLike(records: readonly StorageRecord[]): boolean {
    return records.length === this.count && lastKeyOf(records) === this.lastKey;
  }

  /** Returns whether the items of exactly these records are kept. */
  holds(records: readonly StorageRecord[]): boolean {
    const own = this.#records;
    if (own.length !== records.length) return false;
    for (let index = 0; index < own.length; index += 1) if (own[index] !== records[index]) return false;
    return true;
  }

  fill(records: readonly StorageRecord[], chunks: readonly Uint8Array[], bytes: number): void {
    this.#records = records;
    this.#chunks = chunks;
    this.heldBytes = bytes;
    this.used = true;
  }

  /** Releases the memory. Answers that have the bytes keep them. */
  drop(): void {
    this.#records = [];
    this.#chunks = [];
    this.#compressed = [];
    this.heldBytes = 0;
  }

  find(chunk: Uint8Array): Uint8Array | undefined {
    return this.#compressed[this.#chunks.indexOf(chunk)];
  }

  keep(chunk: Uint8Array, compressed: Uint8Array): void {
    const has = (): boolean => this.#chunks.includes(chunk);
    // Making room may drop the page itself.
    if (!has() || !this.#encodings.makeRoom('runs', compressed.length) || !has()) return;
    this.#compressed[this.#chunks.indexOf(chunk)] = compressed;
    this.#encodings.grow(this, compressed.length);
  }
}

const lastKeyOf = (records: readonly StorageRecord[]): string => records.at(-1)?.key ?? '';

function versionsOf(records: readonly StorageRecord[]): number {
  let sum = 0;
  for (const { modRevision } of records) sum += modRevision;
  return sum;
}

/** The items of a list that is kept. */
interface KeptPage {
  readonly chunks: readonly Uint8Array[];
  readonly compressed: CompressedChunks;
}

/** The short lists of a kind. */
export class KeptPages {
  readonly #encodings: KeptEncodings;
  /** The lists by the key of their first object. */
  readonly #pages = new Map<string, Page[]>();

  /** @param encodings what the pages are counted against */
  constructor(encodings: KeptEncodings) {
    this.#encodings = encodings;
  }

  /** Returns the items of a list; undefined when they are not kept. */
  find(records: readonly StorageRecord[]): KeptPage | undefined {
    for (const page of this.#startingLike(records))
      if (page.holds(records)) {
        page.used = true;
        return { chunks: page.chunks, compressed: page };
      }
    return undefined;
  }

  /**
   * Remembers a list that is not kept. Returns whether to keep it: it was requested before, its objects have not
   * changed since, and there is room.
   *
   * @param bytes length of its items
   */
  isWorth(records: readonly StorageRecord[], bytes: number): boolean {
    const page = this.#startingLike(records).find((one) => one.isLike(records));
    if (page === undefined) {
      this.#remember(records);
      return false;
    }
    const versions = versionsOf(records);
    if (page.versions === versions) return this.#encodings.makeRoom('runs', heldBytes(records, bytes));
    page.versions = versions;
    this.#drop(page);
    return false;
  }

  /** Keeps the items of a list that is worth it, if there still is room. */
  keep(records: readonly StorageRecord[], chunks: readonly Uint8Array[], bytes: number): KeptPage {
    const page = this.#startingLike(records).find((one) => one.isLike(records));
    const held = heldBytes(records, bytes);
    if (page === undefined || !this.#encodings.makeRoom('runs', held)) return { chunks, compressed: NOTHING };
    this.#drop(page);
    page.fill(records, chunks, held);
    this.#encodings.add('runs', page);
    return { chunks, compressed: page };
  }

  #startingLike(records: readonly StorageRecord[]): readonly Page[] {
    return this.#pages.get(records[0]?.key ?? '') ?? NO_PAGES;
  }

  #remember(records: readonly StorageRecord[]): void {
    const key = records[0]?.key ?? '';
    const pages = this.#pages.get(key) ?? [];
    if (pages.length === 0) this.#pages.set(key, pages);
    pages.push(new Page(this.#encodings, records));
    if (pages.length > MAX_OF_START) this.#forget(pages.splice(0, 1));
    if (this.#pages.size <= MAX_STARTS) return;
    for (const [oldest, ofOldest] of this.#pages) {
      this.#pages.delete(oldest);
      this.#forget(ofOldest);
      return;
    }
  }

  #forget(pages: readonly Page[]): void {
    for (const page of pages) this.#drop(page);
  }

  #drop(page: Page): void {
    this.#encodings.remove(page);
    page.drop();
  }
}

const NO_PAGES: readonly Page[] = [];
/** Keeps no compressed form. */
const NOTHING: CompressedChunks = { find: () => undefined, keep: () => undefined };

/** Returns the memory of a page: its bytes, and the texts of its records, which the store may give up before it. */
const heldBytes = (records: readonly StorageRecord[], bytes: number): number =>
  PAGE_BYTES + ITEM_BYTES * records.length + 2 * bytes;
