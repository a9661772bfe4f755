import type { MemoryAccount } from '../../storage/index.js';

/** Opens the account of a recorder in the memory budget. @param giveUp releases at least as many bytes, or all */
export type OpenRecordings = (giveUp: (bytes: number) => void) => MemoryAccount;

/** Options of a {@link Ring}. */
export interface RingOptions<Item> {
  /** The most items that are kept. */
  readonly most: number;
  /** The most memory of all items, in bytes. Default: no limit but that of their number. */
  readonly mostBytes?: number | undefined;
  /** Returns the memory of an item, in bytes. The same at each call. */
  readonly bytesOf: (item: Item) => number;
  readonly open: OpenRecordings;
}

/**
 * The newest items of a sequence. The oldest are dropped when an item is added to a full ring, and when others need the
 * memory.
 */
export class Ring<Item> {
  readonly #items: (Item | undefined)[] = [];
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #bytesOf: (item: Item) => number;
  readonly #account: MemoryAccount;
  /** Index of the oldest item. */
  #first = 0;
  #size = 0;
  #dropped: Item | undefined;
  #closed = false;

  constructor({ most, mostBytes = Infinity, bytesOf, open }: RingOptions<Item>) {
    this.#most = most;
    this.#mostBytes = mostBytes;
    this.#bytesOf = bytesOf;
    this.#account = open((bytes) => this.#giveUp(bytes));
  }

  get size(): number {
    return this.#size;
  }

  /** The newest item that is not kept any more; undefined when all are. */
  get dropped(): Item | undefined {
    return this.#dropped;
  }

  add(item: Item): void {
    if (this.#closed) return;
    if (this.#size === this.#most) this.#drop();
    this.#items[(this.#first + this.#size) % this.#most] = item;
    this.#size += 1;
    this.#account.hold(this.#bytesOf(item));
    while (this.#account.usedBytes > this.#mostBytes) this.#drop();
  }

  /** Returns the item at an index, the oldest is 0; undefined for another index. */
  at(index: number): Item | undefined {
    return index < 0 || index >= this.#size ? undefined : this.#items[(this.#first + index) % this.#most];
  }

  /** The items, the newest first. */
  *newestFirst(): Generator<Item, void, undefined> {
    for (let index = this.size - 1; index >= 0; index -= 1) {
      const item = this.at(index);
      if (item !== undefined) yield item;
    }
  }

  /** Forgets all, and releases the memory. */
  close(): void {
    this.#closed = true;
    this.#items.length = 0;
    this.#size = 0;
    this.#account.close();
  }

  #giveUp(bytes: number): void {
    const enough = this.#account.usedBytes - bytes;
    while (this.#size > 0 && this.#account.usedBytes > enough) this.#drop();
  }

  #drop(): void {
    const oldest = this.at(0);
    if (oldest === undefined) return;
    this.#items[this.#first] = undefined;
    this.#first = (this.#first + 1) % this.#most;
    this.#size -= 1;
    this.#dropped = oldest;
    this.#account.hold(-this.#bytesOf(oldest));
  }
}
