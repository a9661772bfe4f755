/** Statistics of a quantity over a period of time. */
export interface DemandStatistics {
  /** Length of the period, in milliseconds. */
  readonly durationMs: number;
  readonly average: number;
  /** Standard deviation. */
  readonly deviation: number;
  readonly highWatermark: number;
}

/** Integrates a quantity over time, for its average and its deviation. */
export class Integrator {
  #value = 0;
  #sinceMs: number;
  #startMs: number;
  #integral = 0;
  #squares = 0;
  #highest = 0;

  /** @param nowMs time at which the first period begins, in milliseconds */
  constructor(nowMs: number) {
    this.#sinceMs = nowMs;
    this.#startMs = nowMs;
  }

  /** The current value. */
  get value(): number {
    return this.#value;
  }

  /** Notes that the quantity has changed. */
  set(value: number, nowMs: number): void {
    this.#advance(nowMs);
    this.#value = value;
    if (value > this.#highest) this.#highest = value;
  }

  /** Ends a period: returns its statistics, and begins the next one. */
  reset(nowMs: number): DemandStatistics {
    this.#advance(nowMs);
    const durationMs = this.#sinceMs - this.#startMs;
    const average = durationMs === 0 ? this.#value : this.#integral / durationMs;
    const variance = durationMs === 0 ? 0 : this.#squares / durationMs - average * average;
    const statistics = {
      ...{ durationMs, average, highWatermark: this.#highest },
      // Rounding may leave a negative number instead of zero.
      deviation: Math.sqrt(Math.max(0, variance)),
    };
    this.#startMs = this.#sinceMs;
    this.#integral = 0;
    this.#squares = 0;
    this.#highest = this.#value;
    return statistics;
  }

  #advance(nowMs: number): void {
    const elapsedMs = nowMs - this.#sinceMs;
    // The clock of a host may be set back.
    if (elapsedMs <= 0) return;
    this.#sinceMs = nowMs;
    this.#integral += this.#value * elapsedMs;
    this.#squares += this.#value * this.#value * elapsedMs;
  }
}

/** Decay of the smoothed demand with each adjustment: half of it is left after five minutes. */
const SMOOTHING = 0.977;

/** The seats that the requests of a level occupy or wait for, and the statistics of the last periods. */
export class SeatDemand {
  readonly #seats: Integrator;
  average = 0;
  deviation = 0;
  highWatermark = 0;
  /** Average and deviation together; it rises at once and falls slowly. */
  smoothed = 0;

  constructor(nowMs: number) {
    this.#seats = new Integrator(nowMs);
  }

  /** Notes a changed demand, in seats. */
  set(seats: number, nowMs: number): void {
    this.#seats.set(seats, nowMs);
  }

  /** Ends a period and updates the statistics. */
  update(nowMs: number): void {
    const { durationMs, average, deviation, highWatermark } = this.#seats.reset(nowMs);
    this.highWatermark = highWatermark;
    if (durationMs <= 0) return;
    this.average = average;
    this.deviation = deviation;
    const envelope = average + deviation;
    this.smoothed = Math.max(envelope, SMOOTHING * this.smoothed + (1 - SMOOTHING) * envelope);
  }
}
