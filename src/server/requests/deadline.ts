import { errors, Linked, LinkedList, type ApiError, type Clock, type Timer } from '../../foundation/index.js';

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
class Pending extends Linked<Pending> {
  readonly dueMs: number;
  readonly work: Promise<unknown>;
  readonly reject: (error: ApiError) => void;

  constructor(dueMs: number, work: Promise<unknown>, reject: (error: ApiError) => void) {
    super();
    this.dueMs = dueMs;
    this.work = work;
    this.reject = reject;
  }
}

/** Options of {@link Deadlines}. */
export interface DeadlinesOptions {
  readonly clock: Clock;
  /** Limit of each request, in milliseconds. */
  readonly limitMs: number;
  /** Whether a pending request keeps the process alive. Requests from a socket do not need that. */
  readonly keepsAlive: boolean;
  /** Called with the work of a request at its deadline. */
  readonly expired?: ((work: Promise<unknown>) => void) | undefined;
}

/**
 * Does what {@link withDeadline} does, for requests that all have the same limit: their deadlines come in the order of
 * arrival, so one timer serves them all. Most requests take microseconds, and a timer for each would double the cost of
 * those in the process.
 */
export class Deadlines {
  readonly #options: DeadlinesOptions;
  readonly #pending = new LinkedList<Pending>();
  #timer: Timer | undefined;

  constructor(options: DeadlinesOptions) {
    this.#options = options;
  }

  /**
   * Bounds the wait for a response.
   *
   * @param beganMs the time at which the limit begins, not after the current time
   * @throws ApiError 504 after the deadline; otherwise what the work throws
   */
  bound<Answer>(work: Promise<Answer>, beganMs = this.#options.clock.now()): Promise<Answer> {
    const { limitMs, keepsAlive } = this.#options;
    return new Promise((resolve, reject) => {
      const pending = new Pending(beganMs + limitMs, work, reject);
      this.#pending.add(pending);
      if (this.#timer === undefined) this.#arm(limitMs);
      else if (keepsAlive && this.#pending.size === 1) this.#timer.ref?.();
      settleWith(work, () => this.#leave(pending), resolve, reject);
    });
  }

  #leave(pending: Pending): void {
    if (!this.#pending.delete(pending) || this.#pending.size > 0) return;
    // The host's timer stays armed for the next request but does not keep the process alive; other clocks cancel the timer.
    if (this.#timer?.unref !== undefined) {
      if (this.#options.keepsAlive) this.#timer.unref();
      return;
    }
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(delayMs: number): void {
    this.#timer = this.#options.clock.after(delayMs, () => this.#expire());
    if (this.#options.keepsAlive) this.#timer.ref?.();
  }

  #expire(): void {
    this.#timer = undefined;
    const nowMs = this.#options.clock.now();
    for (const pending of this.#pending) {
      if (pending.dueMs > nowMs) return this.#arm(pending.dueMs - nowMs);
      this.#pending.delete(pending);
      this.#options.expired?.(pending.work);
      pending.reject(timeoutError());
    }
  }
}
