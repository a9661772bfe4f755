import { nextTurn } from './turn.js';

/**
 * Collects the items of one turn of the event loop, and handles them together in the next one. When there are many,
 * those beyond a number wait for further turns, so that a turn remains short. The items keep their order.
 */
export class TurnBatches<Item> {
  readonly #size: number;
  readonly #handle: (batch: Item[]) => readonly Item[];
  readonly #waiting: Item[] = [];
  #isPlanned = false;

  /**
   * @param size maximum number of items that are handled in one turn
   * @param handle returns the items that it leaves to the next turn, where they come first. It must not throw
   */
  constructor(size: number, handle: (batch: Item[]) => readonly Item[]) {
    this.#size = size;
    this.#handle = handle;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    if (!this.#isPlanned) this.#handleNext();
  }

  #handleNext(): void {
    this.#isPlanned = true;
    void nextTurn().then(() => {
      const left = this.#handle(this.#waiting.splice(0, this.#size));
      // The items that were added meanwhile follow.
      for (let index = left.length - 1; index >= 0; index -= 1) this.#waiting.unshift(left[index] as Item);
      if (this.#waiting.length > 0) this.#handleNext();
      else this.#isPlanned = false;
    });
  }
}
