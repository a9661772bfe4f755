/** Dead keys that are kept whatever the size. */
const MIN_DEAD = 32;

/**
 * A map whose keys may come and go for ever at the same cost. A host's own map keeps what was deleted in the chain of its
 * key until the whole map is rebuilt, so that a key which comes and goes in a large map costs more each time. Here a deleted
 * key keeps its place for a while: coming back is a write in place.
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

  /** Says whether the key was there. */
  delete(key: string): boolean {
    if (this.#entries.get(key) === undefined) return false;
    this.#entries.set(key, undefined);
    this.#dead += 1;
    // Rebuilding costs as much as all the deletions that made it necessary.
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
