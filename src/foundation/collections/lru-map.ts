import { Linked, LinkedList } from './linked-list.js';

/** Options of {@link LruMap}. */
export interface LruMapOptions<Key, Value> {
  /** Returns what an entry counts towards the limit. Default: 1. */
  readonly weigh?: ((value: Value, key: Key) => number) | undefined;
  /** Called with each value that is dropped because of the limit. */
  readonly dropped?: ((value: Value) => void) | undefined;
}

class Entry<Key, Value> extends Linked<Entry<Key, Value>> {
  readonly key: Key;
  readonly value: Value;
  readonly weight: number;

  constructor(key: Key, value: Value, weight: number) {
    super();
    this.key = key;
    this.value = value;
    this.weight = weight;
  }
}

/**
 * A map that drops the entries that were used least recently, once all of them weigh more than a limit. The latest entry
 * stays, whatever it weighs; with the limit 0 nothing stays.
 */
export class LruMap<Key, Value> {
  readonly #entries = new Map<Key, Entry<Key, Value>>();
  /** The entries by their last use, the least recent first. */
  readonly #uses = new LinkedList<Entry<Key, Value>>();
  readonly #limit: number;
  readonly #options: LruMapOptions<Key, Value>;
  #weight = 0;

  /** @param limit the greatest number of entries, or the greatest weight of all of them */
  constructor(limit: number, options: LruMapOptions<Key, Value> = {}) {
    this.#limit = limit;
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the value of a key, which becomes the most recently used. */
  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#uses.delete(entry);
    this.#uses.add(entry);
    return entry.value;
  }

  /** Sets the value of a key, which becomes the most recently used; then drops what is too much. */
  set(key: Key, value: Value): void {
    this.delete(key);
    const { weigh, dropped } = this.#options;
    const added = new Entry(key, value, weigh === undefined ? 1 : weigh(value, key));
    this.#entries.set(key, added);
    this.#uses.add(added);
    this.#weight += added.weight;
    for (let oldest = this.#uses.first; oldest !== undefined; oldest = this.#uses.first) {
      if (this.#weight <= this.#limit || (oldest === added && this.#limit > 0)) return;
      this.#remove(oldest);
      dropped?.(oldest.value);
    }
  }

  /** Returns the value of a key, which becomes the most recently used; creates it when it is missing. */
  use(key: Key, create: () => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = create();
    this.set(key, value);
    return value;
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#remove(entry);
  }

  /** Removes all entries, and returns their values. They do not count as dropped. */
  takeAll(): Value[] {
    const values: Value[] = [];
    for (const entry of this.#uses) {
      values.push(entry.value);
      this.#remove(entry);
    }
    return values;
  }

  #remove(entry: Entry<Key, Value>): void {
    this.#entries.delete(entry.key);
    this.#uses.delete(entry);
    this.#weight -= entry.weight;
  }
}
