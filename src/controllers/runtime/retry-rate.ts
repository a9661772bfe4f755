/** A limit on the rate of retries. */
export interface RetryLimit {
  readonly perSecond: number;
  /** Number of retries without a pause, after a time without any. */
  readonly burst: number;
}

/** Spreads retries over time. */
export class RetryRate {
  readonly #spacingMs: number;
  readonly #allowanceMs: number;
  /** The time at which the retries so far would have been made one by one. */
  #lastMs = -Infinity;

  constructor({ perSecond, burst }: RetryLimit) {
    this.#spacingMs = 1000 / perSecond;
    this.#allowanceMs = (burst - 1) * this.#spacingMs;
  }

  /** Counts a retry, and returns how long it has to wait at least, in milliseconds. */
  reserve(nowMs: number): number {
    this.#lastMs = Math.max(this.#lastMs, nowMs - this.#spacingMs) + this.#spacingMs;
    return Math.max(0, this.#lastMs - this.#allowanceMs - nowMs);
  }
}
