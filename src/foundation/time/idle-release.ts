import { shareTurn } from '../async/turn.js';
import type { Clock, Timer } from './clock.js';

/** Time between two looks at whether something was used, in milliseconds. */
const LOOK_MS = 30_000;
/** Number of pieces that are released between two looks at the turn. */
const RELEASED_TOGETHER = 128;

/** Something that is released when nobody has used it for a while. */
export interface Releasable {
  /** Returns whether there is enough of it to be worth a timer. */
  isLarge(): boolean;
  /** Releases a piece. Returns whether there was one. */
  releaseOne(): boolean;
}

/**
 * Releases what nobody has used for half a minute, at the latest a minute after its last use. There is a timer only while
 * there is something large.
 */
export class IdleRelease {
  readonly #clock: Clock;
  readonly #held: Releasable;
  readonly #idleUses: number;
  /** Uses since the last look. */
  #uses = 0;
  #timer: Timer | undefined;

  /**
   * @param idleUses number of uses between two looks that do not count: what a server does for itself while nobody uses
   *   it
   */
  constructor(clock: Clock, held: Releasable, idleUses = 0) {
    this.#clock = clock;
    this.#held = held;
    this.#idleUses = idleUses;
  }

  get #isUsed(): boolean {
    return this.#uses > this.#idleUses;
  }

  /** Notes a use. */
  used(): void {
    this.#uses += 1;
  }

  /** Called when there is more of it. */
  grown(): void {
    if (this.#timer === undefined && this.#held.isLarge()) this.#arm();
  }

  /** Cancels the timer. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#uses = 0;
    this.#timer = this.#clock.after(LOOK_MS, () => {
      if (this.#isUsed) this.#arm();
      else void this.#release();
    });
  }

  async #release(): Promise<void> {
    // A use in another turn ends it, and what is left gets a new timer when there is more of it.
    for (let count = 1; !this.#isUsed && this.#held.releaseOne(); count += 1)
      if (count % RELEASED_TOGETHER === 0) await shareTurn();
    this.#timer = undefined;
    this.grown();
  }
}
