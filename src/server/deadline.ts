import { errors, type ApiError } from '../meta/api-error.js';
import type { Clock, Timer } from '../meta/clock.js';

const late = (): ApiError => errors.timeout('request did not complete within the allotted timeout');

/**
 * Ends the wait for an answer when it takes too long, whatever it is that hangs. The work itself goes on in the background,
 * as in Kubernetes: a write that was not answered may still have happened.
 *
 * @param limitMs time from now, in milliseconds
 * @throws ApiError 504 when the time is out; else as the work does
 */
export function withDeadline<Answer>(clock: Clock, limitMs: number, work: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(limitMs, () => reject(late()));
    settleWith(work, () => timer.cancel(), resolve, reject);
  });
}

/** Settles as the work does, after `done`. */
function settleWith<Answer>(
  work: Promise<Answer>,
  done: () => void,
  resolve: (answer: Answer) => void,
  reject: (error: unknown) => void,
): void {
  work.then(
    (answer) => {
      done();
      resolve(answer);
    },
    (error: unknown) => {
      done();
      reject(error);
    },
  );
}

/** A request that is waited for. */
interface Pending {
  readonly dueMs: number;
  readonly reject: (error: ApiError) => void;
}

/**
 * {@link withDeadline} for requests that take a microsecond, where a timer for each would cost as much: all have the same
 * limit, so they fall due in the order in which they came, and one timer serves them all. While somebody waits, it keeps
 * the process alive; what comes in by a socket is kept by that.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #pending = new Set<Pending>();
  #timer: Timer | undefined;

  /** @param limitMs time of each request, in milliseconds */
  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Waits for an answer. @throws ApiError 504 when the time is out; else as the work does */
  bound<Answer>(work: Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const pending = { dueMs: this.#clock.now() + this.#limitMs, reject };
      this.#pending.add(pending);
      if (this.#timer === undefined) this.#arm(this.#limitMs);
      else if (this.#pending.size === 1) this.#timer.ref?.();
      settleWith(work, () => this.#leave(pending), resolve, reject);
    });
  }

  #leave(pending: Pending): void {
    if (!this.#pending.delete(pending) || this.#pending.size > 0) return;
    // The host's timer stays for the next request, and holds nothing; a clock that has no such timers is left without.
    if (this.#timer?.unref !== undefined) return this.#timer.unref();
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(delayMs: number): void {
    this.#timer = this.#clock.after(delayMs, () => this.#expire());
    this.#timer.ref?.();
  }

  #expire(): void {
    this.#timer = undefined;
    const nowMs = this.#clock.now();
    for (const pending of this.#pending) {
      if (pending.dueMs > nowMs) return this.#arm(pending.dueMs - nowMs);
      this.#pending.delete(pending);
      pending.reject(late());
    }
  }
}
