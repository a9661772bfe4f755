/** The newest items of a sequence: the oldest makes room for each that is added to a full ring. */
export class Ring<Item> {
  readonly #items: Item[] = [];
  readonly #capacity: number;
  /** Index of the oldest item. */
  #first = 0;

  /** @param capacity the most items that are kept */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    if (this.#items.length < this.#capacity) {
      this.#items.push(item);
      return;
    }
    this.#items[this.#first] = item;
    this.#first = (this.#first + 1) % this.#capacity;
  }

  /** Returns the item at an index, the oldest is 0; undefined for another index. */
  at(index: number): Item | undefined {
    return index < 0 || index >= this.size ? undefined : this.#items[(this.#first + index) % this.size];
  }

  /** The items, the newest first. */
  *newestFirst(): Generator<Item, void, undefined> {
    for (let index = this.size - 1; index >= 0; index -= 1) {
      const item = this.at(index);
      if (item !== undefined) yield item;
    }
  }
}
