/**
 * A bounded cache of recent entries in two generations of half the size. When the young generation is full, it replaces
 * the old one, whose unused entries are dropped. Unlike in an LRU list, a hit in the young generation changes nothing.
 */
export class RecentTokens<Value> {
  readonly #limit: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /** @param limit maximum number of entries; below 2, nothing is cached */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: string): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const older = this.#old.get(key);
    if (older === undefined) return undefined;
    this.#old.delete(key);
    this.set(key, older);
    return older;
  }

  set(key: string, value: Value): void {
    if (this.#limit < 2) return;
    if (this.#young.size >= this.#limit >> 1) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
