import type { Clock, Timer } from '../foundation/index.js';

/** Bytes of a history from which a timer is worth it. */
const LARGE_BYTES = 256 * 1024;
/** Least time between two looks at a history, in milliseconds. */
const LOOK_MS = 60_000;

/** A history whose events are kept up to an age. */
export interface AgingHistory {
  /** Number of events kept. */
  readonly size: number;
  /** Estimated bytes that it keeps in memory. */
  readonly bytes: number;
  /** Time of the oldest event, in milliseconds since the epoch; undefined when there is none. */
  readonly oldestTime: number | undefined;
  /** Maximum age of an event, in milliseconds. */
  readonly historyMs: number;
}

/**
 * Drops the expired part of a history while nobody uses it; otherwise the next write or read does. It looks when the
 * oldest event expires, but not more often than once a minute. A history that has grown large has a timer until it is
 * empty; a small one has none.
 */
export class HistoryTimer {
  readonly #clock: Clock;
  readonly #history: AgingHistory;
  readonly #forgetExpired: () => void;
  #isStarted = false;
  #timer: Timer | undefined;

  /** @param forgetExpired drops the events that exceed the maximum age, and calls {@link changed} */
  constructor(clock: Clock, history: AgingHistory, forgetExpired: () => void) {
    this.#clock = clock;
    this.#history = history;
    this.#forgetExpired = forgetExpired;
  }

  /** Starts to look at the history. */
  start(): void {
    this.#isStarted = true;
    this.changed();
  }

  /** Called when the history has grown or shrunk. */
  changed(): void {
    if (this.#timer === undefined) {
      if (this.#isStarted && this.#history.bytes >= LARGE_BYTES && this.#history.size > 0) this.#arm();
    } else if (this.#history.size === 0) this.#cancel();
  }

  /** Cancels the timer for good. */
  close(): void {
    this.#isStarted = false;
    this.#cancel();
  }

  #cancel(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const { oldestTime = 0, historyMs } = this.#history;
    // A wall clock may step back, and later forward again.
    const expiresMs = Math.min(oldestTime + historyMs - this.#clock.now(), historyMs) + 1;
    this.#timer = this.#clock.after(Math.max(LOOK_MS, expiresMs), () => {
      this.#cancel();
      this.#forgetExpired();
      if (this.#timer === undefined && this.#history.size > 0) this.#arm();
    });
  }
}
