import type { PageClock } from './clock.js';

/** The newest of many items that come one by one, passed on together, so that a view is not drawn for each. */
export class Batches<Item> {
  readonly #clock: PageClock;
  readonly #pauseMs: number;
  readonly #most: number;
  readonly #draw: (newest: readonly Item[]) => void;
  #waiting: Item[] = [];
  #stopDrawing: (() => void) | undefined;

  /**
   * @param pauseMs the shortest time between two batches, in milliseconds
   * @param most the most items of a batch; the oldest are left out
   * @param draw called with a batch, the oldest first
   */
  constructor(clock: PageClock, pauseMs: number, most: number, draw: (newest: readonly Item[]) => void) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
    this.#most = most;
    this.#draw = draw;
  }

  add(more: readonly Item[]): void {
    this.#waiting = [...this.#waiting, ...more].slice(-this.#most);
    this.#stopDrawing ??= this.#clock.after(this.#pauseMs, () => {
      const newest = this.#waiting;
      this.clear();
      this.#draw(newest);
    });
  }

  /** Leaves out the items that wait. */
  clear(): void {
    this.#waiting = [];
    this.#stopDrawing?.();
    this.#stopDrawing = undefined;
  }
}
