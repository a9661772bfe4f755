/** Options of {@link LruMap}. */
export interface LruMapOptions<Key, Value> {
  /** Returns what an entry counts towards the limit. Default: 1. */
  readonly weigh?: ((value: Value, key: Key) => number) | undefined;
  /** Called with each value that is dropped because of the limit. */
  readonly dropped?: ((value: Value) => void) | undefined;
}

/**
 * A map that drops the entries that were used least recently, once all of them weigh more than a limit. The latest entry
 * stays, whatever it weighs; with the limit 0 nothing stays.
 */
export class LruMap<Key, Value> {
  /** The most recently used entry is last: a Map keeps the order in which keys were added. */
  readonly #entries = new Map<Key, Value>();
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
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  /** Sets the value of a key, which becomes the most recently used; then drops what is too much. */
  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, value);
    this.#weight += this.#weightOf(value, key);
    for (const [oldest, old] of this.#entries) {
      if (this.#weight <= this.#limit || (this.#entries.size === 1 && this.#limit > 0)) return;
      this.delete(oldest);
      this.#options.dropped?.(old);
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
    const value = this.#entries.get(key);
    if (value !== undefined && this.#entries.delete(key)) this.#weight -= this.#weightOf(value, key);
  }

  /** Removes all entries, and returns their values. They do not count as dropped. */
  takeAll(): Value[] {
    const values = [...this.#entries.values()];
    this.#entries.clear();
    this.#weight = 0;
    return values;
  }

  #weightOf(value: Value, key: Key): number {
    return this.#options.weigh === undefined ? 1 : this.#options.weigh(value, key);
  }
}
