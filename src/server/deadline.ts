import { errors, type ApiError } from '../meta/api-error.js';
import type { Clock, Timer } from '../meta/clock.js';

const timeoutError = (): ApiError => errors.timeout('request did not complete within the allotted timeout');

/**
 * Bounds the wait for a response. After the deadline the work continues in the background, as in Kubernetes: an
 * unanswered write may still happen.
 *
 * @param limitMs time from now, in milliseconds
 * @param onTimeout called at the deadline
 * @throws ApiError 504 after the deadline; otherwise what the work throws
 */
export function withDeadline<Answer>(
  clock: Clock,
  limitMs: number,
  work: Promise<Answer>,
  onTimeout?: () => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(limitMs, () => {
      onTimeout?.();
      reject(timeoutError());
    });
    settleWith(work, () => timer.cancel(), resolve, reject);
  });
}

/** Calls `done`, then settles as the work does. */
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

/** A request with a deadline. */
interface Pending {
  readonly dueMs: number;
  readonly reject: (error: ApiError) => void;
}

/**
 * Does what {@link withDeadline} does, for in-process requests, which take microseconds: a timer for each would double
 * their cost. All requests have the same limit, so their deadlines come in the order of arrival, and one timer serves
 * them all. It keeps the process alive while a request is pending; requests from a socket do not need that.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #limitMs: number;
  readonly #pending = new Set<Pending>();
  #timer: Timer | undefined;

  /** @param limitMs limit of each request, in milliseconds */
  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#limitMs = limitMs;
  }

  /** Bounds the wait for a response. @throws ApiError 504 after the deadline; otherwise what the work throws */
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
    // The host's timer stays armed for the next request but does not keep the process alive; other clocks cancel the timer.
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
      pending.reject(timeoutError());
    }
  }
}
