/**
 * The items of one kind of objects in one form of lists.
 *
 * @module
 */
import { isAscii, latin1 } from '../../foundation/index.js';
import type { StorageRecord } from '../../storage/index.js';
import type { TimedText } from '../codec/table/row-text.js';
import { EncodedRun, type Place } from './encoded-run.js';
import type { KeptEncodings, Kind } from './kept-encodings.js';
import { KeptPages } from './kept-pages.js';

/**
 * An encoded item of a list: its text, or the bytes of a form of bytes as Latin-1 text. Many small arrays of bytes would
 * each have memory outside of the heap, which garbage collection frees one by one: a pause of 100 ms for 150,000.
 */
export type EncodedItem = string | TimedText;

/** An item that is kept by itself. */
export interface KeptEncoding {
  readonly encoding: EncodedItem;
  /** Whether it is text in ASCII. */
  readonly ascii: boolean;
}

/** Estimated overheads in bytes: of an item, and of one with cells that change. */
const ITEM_BYTES = 128;
const TIMED_BYTES = 96;

/** An item that is kept, in the chain of its record. */
class KeptItem {
  readonly form: KeptForm;
  /** The next item that is kept for the record. */
  next: KeptItem | undefined;
  /** Whether its text is ASCII. */
  ascii = true;
  /**
   * The encoding, or the run that contains it. Undefined when it was dropped: the record then has an empty item, until
   * it is filled or another one is added.
   */
  encoding: EncodedItem | EncodedRun | undefined;
  /** Index of the item in its run. */
  index = 0;
  /** Memory that is counted for it; none for an item of a run. */
  heldBytes = 0;
  /** Whether it was requested since its last chance. */
  used = true;
  /** Index among what is kept. */
  slot = -1;

  constructor(form: KeptForm, next: KeptItem | undefined) {
    this.form = form;
    this.next = next;
  }

  /** Gives an empty item an encoding. */
  fill(encoding: EncodedItem, ascii: boolean, bytes: number): void {
    this.encoding = encoding;
    this.ascii = ascii;
    this.heldBytes = bytes;
    this.used = true;
  }

  /** Makes the item empty. */
  drop(): void {
    this.encoding = undefined;
    this.heldBytes = 0;
  }
}

/** The items of one kind in one form. */
export class KeptForm {
  readonly #encodings: KeptEncodings;
  #requests = 0;
  #pages: KeptPages | undefined;

  /** @param encodings what the items are counted against */
  constructor(encodings: KeptEncodings) {
    this.#encodings = encodings;
  }

  /** The short lists that are kept as a whole. */
  get pages(): KeptPages {
    return (this.#pages ??= new KeptPages(this.#encodings));
  }

  /** Counts a request for the form. The pages of a list are one request. */
  countRequest(): void {
    this.#requests += 1;
  }

  /** Whether the form was requested before. Nothing is kept of a form that is requested once. */
  get isRequestedAgain(): boolean {
    return this.#requests > 1 && this.#encodings.limitBytes > 0;
  }

  /** Returns the item that is kept of a record; undefined when none is, or when it is in a run. */
  find(record: StorageRecord): KeptEncoding | undefined {
    const item = this.#itemOf(record);
    if (item === undefined || !hasEncoding(item)) return undefined;
    item.used = true;
    return item;
  }

  /** Returns the run with the item of a record, and the index of the item in it; undefined when there is none. */
  place(record: StorageRecord): Place | undefined {
    const item = this.#itemOf(record);
    const run = item?.encoding;
    if (item === undefined || !(run instanceof EncodedRun)) return undefined;
    if (run.isDropped) {
      item.encoding = undefined;
      return undefined;
    }
    run.used = true;
    return { run, index: item.index };
  }

  /** Returns whether the item of a record is kept in a run at an index. */
  isAt(record: StorageRecord, run: EncodedRun, index: number): boolean {
    const item = this.#itemOf(record);
    return item !== undefined && item.encoding === run && item.index === index;
  }

  /** Keeps the item of a record, if the form was requested before and there is room. Bytes are copied. */
  keep(record: StorageRecord, encoding: EncodedItem | Uint8Array): void {
    // A record that was never stored is not seen again.
    if (!this.isRequestedAgain || record.modRevision === 0) return;
    const isBytes = encoding instanceof Uint8Array;
    const ascii = !isBytes && textsOf(encoding).every(isAscii);
    const bytes = isBytes ? ITEM_BYTES + encoding.length : bytesOf(encoding, ascii);
    if (!this.#encodings.makeRoom('items', bytes)) return;
    const item = this.#madeItemOf(record);
    this.#encodings.remove(item);
    item.fill(isBytes ? latin1(encoding) : encoding, ascii, bytes);
    this.#encodings.add('items', item);
  }

  /** Keeps a run with the items of these records, if the form was requested before and there is room. */
  keepRun(kind: Kind, records: readonly StorageRecord[], run: EncodedRun): void {
    if (!this.isRequestedAgain || !this.#encodings.makeRoom(kind, run.heldBytes)) return;
    records.forEach((record, index) => {
      if (record.modRevision === 0) return;
      const item = this.#madeItemOf(record);
      this.#encodings.remove(item);
      item.encoding = run;
      item.index = index;
    });
    this.#encodings.add(kind, run);
  }

  /** Keeps the compressed form of a run that is kept, if there is room. */
  keepCompressed(run: EncodedRun, compressed: Uint8Array): void {
    // Making room may drop the run itself.
    if (run.slot < 0 || !this.#encodings.makeRoom('runs', compressed.length) || run.slot < 0) return;
    run.compressed = compressed;
    this.#encodings.grow(run, compressed.length);
  }

  /** Drops a run of which the items are in other runs now. */
  dropRun(run: EncodedRun): void {
    this.#encodings.remove(run);
    run.drop();
  }

  #madeItemOf(record: StorageRecord): KeptItem {
    let item = this.#itemOf(record);
    if (item === undefined) record.encodings = item = new KeptItem(this, filled(chainOf(record)));
    return item;
  }

  #itemOf(record: StorageRecord): KeptItem | undefined {
    let item = chainOf(record);
    while (item !== undefined && item.form !== this) item = item.next;
    return item;
  }
}

const hasEncoding = (item: KeptItem): item is KeptItem & KeptEncoding =>
  item.encoding !== undefined && !(item.encoding instanceof EncodedRun);

const chainOf = ({ encodings }: StorageRecord): KeptItem | undefined =>
  encodings instanceof KeptItem ? encodings : undefined;

/** Removes the empty items from a chain. */
function filled(item: KeptItem | undefined): KeptItem | undefined {
  if (item === undefined) return undefined;
  item.next = filled(item.next);
  return item.encoding === undefined ? item.next : item;
}

/** Returns the texts of an encoding, without the cells that change with the time. */
const textsOf = (encoding: EncodedItem): readonly string[] =>
  typeof encoding === 'string' ? [encoding] : encoding.around;

/** Estimates the memory of an item, in bytes. */
function bytesOf(encoding: EncodedItem, ascii: boolean): number {
  let length = 0;
  for (const text of textsOf(encoding)) length += text.length;
  return ITEM_BYTES + (typeof encoding === 'string' ? 0 : TIMED_BYTES) + (ascii ? length : 2 * length);
}
