import type { Clock, Timer } from '../../foundation/index.js';
import type { Revision } from '../storage.js';

/** A read that waits. */
interface Waiter {
  readonly revision: Revision;
  readonly timer: Timer;
  readonly settle: (reached: boolean) => void;
  /** Number of progress reports since the wait began that did not reach the revision. */
  reports: number;
}

/** A report may answer a request that was made before the wait began; the second one does not. */
const ENOUGH_REPORTS = 2;

/** The reads that wait until a watch has delivered a revision. */
export class RevisionWaiters {
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #waiters = new Set<Waiter>();
  /** The newest revision that did not come in time. Until it comes, other reads do not wait. */
  #missing: Revision = 0;

  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /** Whether a read waits. */
  get isAwaited(): boolean {
    return this.#waiters.size > 0;
  }

  /**
   * Waits for a revision that has not been reached.
   *
   * @param position the revision that has been reached
   * @returns whether it is reached in time
   */
  wait(revision: Revision, position: Revision): Promise<boolean> | false {
    if (position < this.#missing || this.#waitMs === 0) return false;
    return new Promise((resolve) => {
      const settle = (reached: boolean): void => {
        if (!this.#waiters.delete(waiter)) return;
        waiter.timer.cancel();
        if (!reached) this.#missing = Math.max(this.#missing, revision);
        resolve(reached);
      };
      const timer = this.#clock.after(this.#waitMs, () => settle(false));
      const waiter: Waiter = { revision, timer, settle, reports: 0 };
      this.#waiters.add(waiter);
    });
  }

  /** Ends the waits for the revisions up to one that has been reached. */
  reached(position: Revision): void {
    for (const waiter of this.#waiters) if (waiter.revision <= position) waiter.settle(true);
  }

  /** Counts a progress report. Ends the waits that it should have ended: the engine cannot tell when they are over. */
  reported(): void {
    for (const waiter of this.#waiters) {
      waiter.reports += 1;
      if (waiter.reports >= ENOUGH_REPORTS) waiter.settle(false);
    }
  }

  /** Ends all waits. */
  end(): void {
    for (const waiter of this.#waiters) waiter.settle(false);
  }
}
