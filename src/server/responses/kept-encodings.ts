/**
 * The encoded items of lists, kept where they are requested again: rows of Tables, metadata, YAML and protobuf.
 *
 * An item belongs to a record, that is, to one version of an object, and to a form. A write needs no work here: the new
 * version is another record, and what is kept of the former one is dropped when its memory is needed.
 *
 * @module
 */
import { isAscii, latin1 } from '../../foundation/index.js';
import type { MemoryAccount, MemoryBudget, StorageRecord } from '../../storage/index.js';
import { TimedText } from '../codec/table/row-text.js';
import { EncodedRun, type Place } from './encoded-run.js';

/**
 * The bytes of an item, as Latin-1 text. Many small arrays of bytes would each have memory outside of the heap, which
 * garbage collection frees one by one: a pause of 100 ms for 150,000.
 */
export class KeptBytes {
  readonly text: string;

  constructor(bytes: Uint8Array) {
    this.text = latin1(bytes);
  }
}

/** An encoded item of a list. */
export type EncodedItem = string | TimedText | KeptBytes;

/** Estimated overheads in bytes: of an item, and of each kind of encoding besides its content. */
const ITEM_BYTES = 128;
const TIMED_BYTES = 96;
const KEPT_BYTES = 32;

/**
 * Of so many items that find no room, one takes the second chance of another item. A scan of more than the limit
 * therefore keeps most of what it found at the last scan, instead of replacing all of it again and again.
 */
const MISSES_PER_STEP = 8;

/** An item that is kept, in the chain of its record. */
export class KeptItem {
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

/** The kinds of kept encodings: items and runs that are expensive to make, and runs of stored texts, which are not. */
export type Kind = 'items' | 'runs';

/** The items of one kind in one form. */
export class KeptForm {
  readonly #encodings: KeptEncodings;
  #requests = 0;

  /** @param encodings what the items are counted against */
  constructor(encodings: KeptEncodings) {
    this.#encodings = encodings;
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
  find(record: StorageRecord): (KeptItem & { readonly encoding: EncodedItem }) | undefined {
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

  /** Keeps the item of a record, if the form was requested before and there is room. */
  keep(record: StorageRecord, encoding: EncodedItem): void {
    // A record that was never stored is not seen again.
    if (!this.isRequestedAgain || record.modRevision === 0) return;
    const ascii = textsOf(encoding).every(isAscii);
    const bytes = bytesOf(encoding, ascii);
    if (!this.#encodings.makeRoom('items', bytes)) return;
    const item = this.#madeItemOf(record);
    this.#encodings.remove(item);
    item.fill(encoding, ascii, bytes);
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

const hasEncoding = (item: KeptItem): item is KeptItem & { readonly encoding: EncodedItem } =>
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
export function textsOf(encoding: EncodedItem): readonly string[] {
  if (typeof encoding === 'string') return [encoding];
  return encoding instanceof TimedText ? encoding.around : [];
}

/** Estimates the memory of an item, in bytes. */
function bytesOf(encoding: EncodedItem, ascii: boolean): number {
  if (encoding instanceof KeptBytes) return ITEM_BYTES + KEPT_BYTES + encoding.text.length;
  let length = 0;
  for (const text of textsOf(encoding)) length += text.length;
  return ITEM_BYTES + (typeof encoding === 'string' ? 0 : TIMED_BYTES) + (ascii ? length : 2 * length);
}

/** Something that is kept in a {@link Ring}. */
interface Kept {
  used: boolean;
  slot: number;
  heldBytes: number;
  drop(): void;
}

/**
 * The kept encodings, in the order of a clock. A hand goes around: it drops those not requested since it last passed.
 */
class Ring {
  readonly #account: MemoryAccount;
  readonly #kept: Kept[] = [];
  #hand = 0;
  #misses = 0;
  #usedBytes = 0;

  /** @param account what is kept is counted in it */
  constructor(account: MemoryAccount) {
    this.#account = account;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get size(): number {
    return this.#kept.length;
  }

  has(kept: Kept): boolean {
    return this.#kept[kept.slot] === kept;
  }

  add(kept: Kept): void {
    kept.slot = this.#kept.length;
    this.#kept.push(kept);
    this.count(kept.heldBytes);
  }

  remove(kept: Kept): void {
    const last = this.#kept.pop();
    if (last !== undefined && last !== kept) {
      this.#kept[kept.slot] = last;
      last.slot = kept.slot;
    }
    kept.slot = -1;
    this.count(-kept.heldBytes);
  }

  count(bytes: number): void {
    this.#usedBytes += bytes;
    this.#account.hold(bytes);
  }

  /** Drops what is at the hand unless it was requested. Returns whether it did. */
  dropUnused(): boolean {
    const kept = this.#kept[this.#hand] ?? this.#kept[(this.#hand = 0)];
    if (kept === undefined) return false;
    if (!kept.used) return this.dropNext();
    this.#misses += 1;
    if (this.#misses % MISSES_PER_STEP !== 0) return false;
    kept.used = false;
    this.#hand += 1;
    return false;
  }

  /** Drops what is at the hand. Returns whether there was anything. */
  dropNext(): boolean {
    const kept = this.#kept[this.#hand] ?? this.#kept[(this.#hand = 0)];
    if (kept === undefined) return false;
    this.remove(kept);
    kept.drop();
    return true;
  }
}

/** The encoded items that one server keeps, within a limit of memory. */
export class KeptEncodings {
  /** Limit in bytes; 0 keeps nothing. */
  readonly limitBytes: number;
  readonly #forms = new WeakMap<object, Map<string, KeptForm>>();
  readonly #budget: MemoryBudget;
  readonly #rings: Readonly<Record<Kind, Ring>>;

  /**
   * @param limitBytes limit in bytes
   * @param budget the budget of the server, in which the encodings are counted
   */
  constructor(limitBytes: number, budget: MemoryBudget) {
    this.limitBytes = limitBytes;
    this.#budget = budget;
    const account = budget.openCache('encodings', (bytes) => this.shrink(bytes));
    this.#rings = { items: new Ring(account), runs: new Ring(account) };
  }

  /** Bytes in use. */
  get usedBytes(): number {
    return this.#rings.items.usedBytes + this.#rings.runs.usedBytes;
  }

  /** Number of items and runs that are kept. */
  get size(): number {
    return this.#rings.items.size + this.#rings.runs.size;
  }

  /**
   * Returns the items of a kind in a form. A store that replaces another, because the definition of its kind changed,
   * has items of its own.
   *
   * @param store the store of the kind
   * @param key all that the encoding of an item depends on besides the record and the store
   */
  form(store: object, key: string): KeptForm {
    let forms = this.#forms.get(store);
    if (forms === undefined) this.#forms.set(store, (forms = new Map<string, KeptForm>()));
    let form = forms.get(key);
    if (form === undefined) forms.set(key, (form = new KeptForm(this)));
    return form;
  }

  /** Makes room for an encoding. Returns false when there is none for it now. */
  makeRoom(kind: Kind, bytes: number): boolean {
    if (this.#budget.isScarce) return false;
    const { items, runs } = this.#rings;
    if (kind === 'items') {
      if (bytes > this.limitBytes) return false;
      while (this.usedBytes + bytes > this.limitBytes) if (!runs.dropNext() && !items.dropUnused()) return false;
      return true;
    }
    const limit = this.limitBytes - items.usedBytes;
    if (bytes > limit) return false;
    while (runs.usedBytes + bytes > limit) if (!runs.dropUnused()) return false;
    return true;
  }

  /** Adds an item or a run for which there is room. */
  add(kind: Kind, kept: Kept): void {
    this.#rings[kind].add(kept);
  }

  /** Removes an item or a run, if it is kept. */
  remove(kept: Kept): void {
    this.#ringOf(kept)?.remove(kept);
  }

  /** Counts what was added to a run that is kept. */
  grow(run: EncodedRun, bytes: number): void {
    run.heldBytes += bytes;
    this.#ringOf(run)?.count(bytes);
  }

  /** Drops encodings because the memory is needed otherwise. */
  shrink(bytes: number): void {
    const before = this.usedBytes;
    const { items, runs } = this.#rings;
    while (before - this.usedBytes < bytes && (runs.dropNext() || items.dropNext()));
  }

  #ringOf(kept: Kept): Ring | undefined {
    const { items, runs } = this.#rings;
    return items.has(kept) ? items : runs.has(kept) ? runs : undefined;
  }
}
