import type { Clock } from '../../../foundation/index.js';

/** Limits a rate: tokens come at a steady rate, and up to `burst` of them are kept. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #perMs: number;
  readonly #burst: number;
  #tokens: number;
  #atMs: number;

  /** @param qps tokens per second */
  constructor(clock: Clock, { qps, burst }: { readonly qps: number; readonly burst: number }) {
    this.#clock = clock;
    this.#perMs = qps / 1000;
    this.#burst = burst;
    this.#tokens = burst;
    this.#atMs = clock.now();
  }

  /** Takes a token. @returns how long to wait before it may be used, in milliseconds; 0 for at once */
  take(): number {
    const nowMs = this.#clock.now();
    // A clock that was set back gives nothing.
    this.#tokens = Math.min(this.#burst, this.#tokens + Math.max(0, nowMs - this.#atMs) * this.#perMs);
    this.#atMs = nowMs;
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : Math.ceil(-this.#tokens / this.#perMs);
  }
}
