/** A member of a {@link LinkedList}: of one list at a time. */
export abstract class Linked<Self extends Linked<Self>> {
  /** The list that it is in; undefined for none. Set by the list, as are its neighbours. */
  declare list: LinkedList<Self> | undefined;
  declare before: Self | undefined;
  declare after: Self | undefined;

  constructor() {
    // Not by initializers: V8 runs those of a class with many subclasses ten times as long as assignments.
    this.list = undefined;
    this.before = undefined;
    this.after = undefined;
  }
}

/**
 * A set whose members hold the links to their neighbours, in the order in which they were added.
 *
 * It takes the place of a `Set` where members come and go, as those of the requests in flight. A `Set` that grows and
 * shrinks makes tables, and in V8 a table refers to the one that took its place. Once one of them belongs to the old
 * generation, so do all that follow, with all that was in them: garbage that collections of young objects copy, and that
 * only a full collection frees. A member that leaves this list refers to nothing in it.
 */
export class LinkedList<Item extends Linked<Item>> {
  #first: Item | undefined;
  #last: Item | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The member that was added first. */
  get first(): Item | undefined {
    return this.#first;
  }

  has(item: Item): boolean {
    return item.list === this;
  }

  /** Adds a member at the end. Does nothing for one that is in the list. @throws Error for a member of another list */
  add(item: Item): void {
    if (item.list === this) return;
    if (item.list !== undefined) throw new Error('unreachable: the item is a member of another list');
    item.list = this;
    item.before = this.#last;
    if (this.#last === undefined) this.#first = item;
    else this.#last.after = item;
    this.#last = item;
    this.#size += 1;
  }

  /** Removes a member. @returns whether it was in the list */
  delete(item: Item): boolean {
    if (item.list !== this) return false;
    const { before, after } = item;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    item.list = undefined;
    item.before = undefined;
    item.after = undefined;
    this.#size -= 1;
    return true;
  }

  /** Returns the members in order. Whoever iterates may remove the member that it has got. */
  *[Symbol.iterator](): Generator<Item, void, undefined> {
    for (let item = this.#first; item !== undefined;) {
      const { after }: Item = item;
      yield item;
      item = after;
    }
  }
}
