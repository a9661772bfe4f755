import type { HistogramSeries } from './metrics.js';

const NANOSECONDS = 1e6;

/** A histogram of a ratio over time: every nanosecond is an observation. */
export class RatioSeries {
  readonly #series: HistogramSeries;
  #value = 0;
  #denominator = 1;
  #sinceMs: number;

  /** @param nowMs time from which it is observed, in milliseconds since the epoch */
  constructor(series: HistogramSeries, nowMs: number) {
    this.#series = series;
    this.#sinceMs = nowMs;
  }

  /** Sets the numerator. */
  set(value: number, nowMs: number): void {
    if (nowMs > this.#sinceMs) this.advance(nowMs);
    this.#value = value;
  }

  /** Sets the denominator. Without a time it also applies to the time since the last observation. */
  relativeTo(denominator: number, nowMs?: number): void {
    if (nowMs !== undefined) this.advance(nowMs);
    this.#denominator = denominator;
  }

  /** Makes the observations until now. */
  advance(nowMs: number): void {
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs <= 0) return;
    this.#sinceMs = nowMs;
    this.#series.observe(this.#value / this.#denominator, Math.round(elapsedMs * NANOSECONDS));
  }
}
