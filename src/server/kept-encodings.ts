/**
 * The encoded items of lists, kept where they are requested again: rows of Tables, metadata, YAML and protobuf.
 *
 * An item belongs to a record, that is, to one version of an object, and to a form. A write needs no work here: the new
 * version is another record, and what is kept of the former one is dropped when its memory is needed.
 *
 * @module
 */
import { TimedText } from '../codec/row-text.js';
import { latin1 } from '../encoding/bytes.js';
import { isAscii } from '../encoding/utf8.js';
import type { MemoryAccount, MemoryBudget } from '../storage/memory-budget.js';
import type { StorageRecord } from '../storage/storage.js';

/** Successive items of a list as bytes, each followed by a comma. */
export class EncodedRun {
  readonly records: readonly StorageRecord[];
  readonly bytes: Uint8Array;
  /** Their compressed form, if it is kept. */
  compressed: Uint8Array | undefined;

  constructor(records: readonly StorageRecord[], bytes: Uint8Array) {
    this.records = records;
    this.bytes = bytes;
  }
}

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

/** An encoded item of a list, or the run of items that begins with it. */
export type EncodedItem = string | TimedText | KeptBytes | EncodedRun;

/** Estimated overheads in bytes: of an item, and of each kind of encoding besides its content. */
const ITEM_BYTES = 128;
const TIMED_BYTES = 320;
const ARRAY_BYTES = 208;
const KEPT_BYTES = 32;
const REFERENCE_BYTES = 8;

/**
 * Of so many items that find no room, one takes the second chance of another item. A scan of more than the limit
 * therefore keeps most of what it found at the last scan, instead of replacing all of it again and again.
 */
const MISSES_PER_STEP = 8;

/** An item that is kept, in the chain of its record. */
export class KeptItem {
  readonly form: KeptForm;
  /** What else is kept of the record. */
  next: KeptItem | undefined;
  /** Whether its text is ASCII. */
  ascii = true;
  /** Undefined when it was dropped. The record then has an empty item, until it is filled or another one is added. */
  encoding: EncodedItem | undefined;
  bytes = 0;
  /** Whether it was requested since its last chance. */
  used = true;

  constructor(form: KeptForm, next: KeptItem | undefined) {
    this.form = form;
    this.next = next;
  }

  /** Gives an empty item an encoding. */
  fill(encoding: EncodedItem, ascii: boolean, bytes: number): void {
    this.encoding = encoding;
    this.ascii = ascii;
    this.bytes = bytes;
    this.used = true;
  }

  /** Makes the item empty. */
  drop(): void {
    this.encoding = undefined;
    this.bytes = 0;
  }
}

/** The items of one kind in one form, or the runs of its items. */
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

  /** Returns what is kept of a record; undefined when nothing is. */
  find(record: StorageRecord): KeptItem | undefined {
    const item = this.#itemOf(record);
    if (item?.encoding === undefined) return undefined;
    item.used = true;
    return item;
  }

  /** Keeps the item of a record, or the run that begins with it, if the form was requested before and there is room. */
  keep(record: StorageRecord, encoding: EncodedItem): void {
    // A record that was never stored is not seen again.
    if (!this.isRequestedAgain || record.modRevision === 0) return;
    const ascii = textsOf(encoding).every(isAscii);
    const bytes = bytesOf(encoding, ascii);
    const kind = encoding instanceof EncodedRun ? 'runs' : 'items';
    if (!this.#encodings.makeRoom(kind, bytes)) return;
    let item = this.#itemOf(record);
    if (item === undefined) record.encodings = item = new KeptItem(this, filled(chainOf(record)));
    const isNew = item.encoding === undefined;
    this.#encodings.count(kind, bytes - item.bytes);
    item.fill(encoding, ascii, bytes);
    if (isNew) this.#encodings.add(kind, item);
  }

  /** Keeps the compressed form of a run that is kept, if there is room. */
  keepCompressed(run: EncodedRun, compressed: Uint8Array): void {
    const first = run.records[0];
    const item = first === undefined ? undefined : this.#itemOf(first);
    if (item?.encoding !== run || !this.#encodings.makeRoom('runs', compressed.length)) return;
    // Making room may have dropped the run itself.
    if (item.encoding !== run) return;
    run.compressed = compressed;
    item.bytes += compressed.length;
    this.#encodings.count('runs', compressed.length);
  }

  #itemOf(record: StorageRecord): KeptItem | undefined {
    let item = chainOf(record);
    while (item !== undefined && item.form !== this) item = item.next;
    return item;
  }
}

const chainOf = ({ encodings }: StorageRecord): KeptItem | undefined =>
  encodings instanceof KeptItem ? encodings : undefined;

/** Removes the empty items from a chain. */
function filled(item: KeptItem | undefined): KeptItem | undefined {
  if (item === undefined) return undefined;
  item.next = filled(item.next);
  return item.encoding === undefined ? item.next : item;
}

/** Returns the texts of an encoding, without the cells that change with the time. */
function textsOf(encoding: EncodedItem): readonly string[] {
  if (typeof encoding === 'string') return [encoding];
  return encoding instanceof TimedText ? encoding.around : [];
}

/** Estimates the memory of an item, in bytes. */
function bytesOf(encoding: EncodedItem, ascii: boolean): number {
  if (encoding instanceof KeptBytes) return ITEM_BYTES + KEPT_BYTES + encoding.text.length;
  // A run may be the last that holds the texts of its records.
  if (encoding instanceof EncodedRun)
    return ITEM_BYTES + ARRAY_BYTES + 2 * encoding.bytes.length + REFERENCE_BYTES * encoding.records.length;
  let length = 0;
  for (const text of textsOf(encoding)) length += text.length;
  return ITEM_BYTES + (typeof encoding === 'string' ? 0 : TIMED_BYTES) + (ascii ? length : 2 * length);
}

/**
 * Items in the order of a clock. A hand goes around: it drops items that were not requested since it passed them.
 */
class Ring {
  readonly #account: MemoryAccount;
  readonly #items: KeptItem[] = [];
  #hand = 0;
  #misses = 0;
  #usedBytes = 0;

  /** @param account what the items are counted in */
  constructor(account: MemoryAccount) {
    this.#account = account;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get size(): number {
    return this.#items.length;
  }

  count(bytes: number): void {
    this.#usedBytes += bytes;
    this.#account.hold(bytes);
  }

  add(item: KeptItem): void {
    this.#items.push(item);
  }

  /** Drops the item at the hand unless it was requested. Returns whether it did. */
  dropUnused(): boolean {
    const item = this.#items[this.#hand] ?? this.#items[(this.#hand = 0)];
    if (item === undefined) return false;
    if (!item.used) return this.dropNext();
    this.#misses += 1;
    if (this.#misses % MISSES_PER_STEP !== 0) return false;
    item.used = false;
    this.#hand += 1;
    return false;
  }

  /** Drops the item at the hand. Returns whether there was one. */
  dropNext(): boolean {
    const item = this.#items[this.#hand] ?? this.#items[(this.#hand = 0)];
    const last = this.#items.pop();
    if (item === undefined || last === undefined) return false;
    if (last !== item) this.#items[this.#hand] = last;
    this.count(-item.bytes);
    item.drop();
    return true;
  }
}

/** What is kept: items, which are expensive to make, and runs, which are not. */
type Kind = 'items' | 'runs';

/** Maximum share of the limit that runs take. They are the first to be dropped. */
const RUNS_SHARE = 1 / 2;

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
    const limit = Math.min(this.limitBytes * RUNS_SHARE, this.limitBytes - items.usedBytes);
    if (bytes > limit) return false;
    while (runs.usedBytes + bytes > limit) if (!runs.dropUnused()) return false;
    return true;
  }

  /** Counts an encoding that was made. */
  count(kind: Kind, bytes: number): void {
    this.#rings[kind].count(bytes);
  }

  /** Adds an item or a run that was counted. */
  add(kind: Kind, item: KeptItem): void {
    this.#rings[kind].add(item);
  }

  /** Drops encodings because the memory is needed otherwise. */
  shrink(bytes: number): void {
    const before = this.usedBytes;
    const { items, runs } = this.#rings;
    while (before - this.usedBytes < bytes && (runs.dropNext() || items.dropNext()));
  }
}
