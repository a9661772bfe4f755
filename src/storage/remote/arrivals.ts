import type { Clock, Timer } from '../../foundation/index.js';
import type { Revision } from '../storage.js';

/** Maximum time that a caller waits for a revision, in milliseconds. Waiting longer would delay writers. */
const MAX_WAIT_MS = 1_000;

interface Waiter {
  readonly revision: Revision;
  readonly since: number;
  readonly resolve: () => void;
}

/** The callers that wait until the events up to a revision have arrived from a store that is elsewhere. */
export class Arrivals {
  readonly #clock: Clock;
  readonly #idle: () => void;
  #waiting: Waiter[] = [];
  #timeout: Timer | undefined;

  /** @param idle called when the last caller has stopped waiting */
  constructor(clock: Clock, idle: () => void = () => undefined) {
    this.#clock = clock;
    this.#idle = idle;
  }

  /** Whether a caller waits. */
  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when a revision has arrived, when the waits are given up, or after a second. */
  wait(revision: Revision): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ revision, since: this.#clock.now(), resolve });
      if (this.#timeout === undefined) this.#armTimeout();
    });
  }

  /** Ends the waits for the revisions up to one that has arrived. */
  arrived(position: Revision): void {
    if (this.#waiting.length > 0) this.#end(({ revision }) => revision <= position);
  }

  /** Ends all waits. */
  giveUp(): void {
    this.#end(() => true);
  }

  #end(isOver: (waiter: Waiter) => boolean): void {
    const over = this.#waiting.filter(isOver);
    this.#waiting = this.#waiting.filter((waiter) => !isOver(waiter));
    for (const { resolve } of over) resolve();
    if (this.#waiting.length > 0) return;
    this.#timeout?.cancel();
    this.#timeout = undefined;
    this.#idle();
  }

  #armTimeout(): void {
    this.#timeout = this.#clock.after(MAX_WAIT_MS, () => {
      this.#timeout = undefined;
      const before = this.#clock.now() - MAX_WAIT_MS;
      this.#end(({ since }) => since <= before);
      if (this.#waiting.length > 0) this.#armTimeout();
    });
  }
}
