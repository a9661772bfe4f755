import { nextTurn } from './turn.js';

/**
 * Collects the items of one turn of the event loop, and handles them together in the next one. When there are many,
 * those beyond a number wait for further turns, so that a turn remains short. The items keep their order.
 */
export class TurnBatches<Item> {
  readonly #size: number;
  readonly #handle: (batch: Item[]) => void;
  readonly #waiting: Item[] = [];

  /**
   * @param size maximum number of items that are handled in one turn
   * @param handle must not throw
   */
  constructor(size: number, handle: (batch: Item[]) => void) {
    this.#size = size;
    this.#handle = handle;
  }

  add(item: Item): void {
    if (this.#waiting.push(item) === 1) this.#handleNext();
  }

  #handleNext(): void {
    void nextTurn().then(() => {
      const batch = this.#waiting.splice(0, this.#size);
      if (this.#waiting.length > 0) this.#handleNext();
      this.#handle(batch);
    });
  }
}
