/** Number of dead keys that are always kept. */
const MIN_DEAD = 32;

/**
 * A map with constant cost for keys that come and go. In V8, a deleted entry stays in the hash chain of its key until
 * the whole map is rebuilt, so repeated deletion and insertion in a large map becomes slower each time. Here a deleted
 * key keeps its entry for a while, and inserting it again is a write in place.
 */
export class SteadyMap<Value extends object> {
  #entries = new Map<string, Value | undefined>();
  #dead = 0;

  get size(): number {
    return this.#entries.size - this.#dead;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    if (this.#dead > 0 && this.#entries.has(key) && this.#entries.get(key) === undefined) this.#dead -= 1;
    this.#entries.set(key, value);
  }

  /** Deletes a key. Returns whether it existed. */
  delete(key: string): boolean {
    if (this.#entries.get(key) === undefined) return false;
    this.#entries.set(key, undefined);
    this.#dead += 1;
    // A rebuild costs as much as the deletions before it.
    if (this.#dead > MIN_DEAD && this.#dead > this.size) this.#rebuild();
    return true;
  }

  *values(): Generator<Value, void, undefined> {
    for (const value of this.#entries.values()) if (value !== undefined) yield value;
  }

  #rebuild(): void {
    const entries = new Map<string, Value | undefined>();
    for (const [key, value] of this.#entries) if (value !== undefined) entries.set(key, value);
    this.#entries = entries;
    this.#dead = 0;
  }
}
