/** Those who want to know of each item of a recorder. */
export class Listeners<Item> {
  readonly #listeners = new Set<(item: Item) => void>();

  /** @returns a function that ends it */
  add(listener: (item: Item) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(item: Item): void {
    for (const listener of this.#listeners) listener(item);
  }
}
