/**
 * The encoded items of lists, kept where they are requested again: rows of Tables, metadata, YAML and protobuf.
 *
 * An item belongs to a record, that is, to one version of an object, and to a form. A write needs no work here: the new
 * version is another record, and what is kept of the former one is dropped when its memory is needed.
 *
 * @module
 */
import { IdleRelease, type Clock } from '../../foundation/index.js';
import type { MemoryAccount, MemoryBudget } from '../../storage/index.js';
import { KeptForm } from './kept-form.js';

/** The kinds of kept encodings: items and runs that are expensive to make, and runs of stored texts, which are not. */
export type Kind = 'items' | 'runs';

/** Memory from which the encodings are released when no list is requested for a while, in bytes. */
const RELEASED_BYTES = 1024 * 1024;

/**
 * Of so many items that find no room, one takes the second chance of another item. A scan of more than the limit
 * therefore keeps most of what it found at the last scan, instead of replacing all of it again and again.
 */
const MISSES_PER_STEP = 8;

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
  readonly #idle: IdleRelease;

  /**
   * @param limitBytes limit in bytes
   * @param budget the budget of the server, in which the encodings are counted
   * @param clock clock for the release of encodings that are no longer requested
   */
  constructor(limitBytes: number, budget: MemoryBudget, clock: Clock) {
    this.limitBytes = limitBytes;
    this.#budget = budget;
    const account = budget.openCache('encodings', (bytes) => this.shrink(bytes));
    this.#rings = { items: new Ring(account), runs: new Ring(account) };
    this.#idle = new IdleRelease(clock, {
      isLarge: () => this.usedBytes >= RELEASED_BYTES,
      releaseOne: () => this.#dropOne(),
    });
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
    this.#idle.used();
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
    this.#idle.grown();
  }

  /** Removes an item or a run, if it is kept. */
  remove(kept: Kept): void {
    this.#ringOf(kept)?.remove(kept);
  }

  /** Counts what was added to something that is kept. */
  grow(kept: Kept, bytes: number): void {
    kept.heldBytes += bytes;
    this.#ringOf(kept)?.count(bytes);
  }

  /** Drops encodings because the memory is needed otherwise. */
  shrink(bytes: number): void {
    const before = this.usedBytes;
    while (before - this.usedBytes < bytes && this.#dropOne());
  }

  /** Ends the release of encodings that are no longer requested. */
  close(): void {
    this.#idle.close();
  }

  /** Drops a run, or an item when there is none. Returns whether there was anything. */
  #dropOne(): boolean {
    const { items, runs } = this.#rings;
    return runs.dropNext() || items.dropNext();
  }

  #ringOf(kept: Kept): Ring | undefined {
    const { items, runs } = this.#rings;
    return items.has(kept) ? items : runs.has(kept) ? runs : undefined;
  }
}
