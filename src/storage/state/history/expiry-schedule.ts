import type { Clock, Timer } from '../../../foundation/index.js';
import { ExpiryQueue } from './expiry-queue.js';
import type { Expiry } from './expiry-queue.js';

/** Expires keys on time, with one timer for the earliest. */
export class ExpirySchedule {
  readonly #clock: Clock;
  readonly #expire: (expiry: Expiry) => void;
  #queue = new ExpiryQueue();
  /** Whether a forked schedule uses the same queue, which is then copied before it changes. */
  #isShared = false;
  #started = false;
  #timer: { readonly deadline: number; readonly timer: Timer } | undefined;

  /** @param expire deletes the key of an expiry; it may set other expiries */
  constructor(clock: Clock, expire: (expiry: Expiry) => void) {
    this.#clock = clock;
    this.#expire = expire;
  }

  /**
   * Returns a schedule with the same expiries on another clock. It does not start.
   *
   * @param expire deletes the key of an expiry
   */
  fork(clock: Clock, expire: (expiry: Expiry) => void): ExpirySchedule {
    const schedule = new ExpirySchedule(clock, expire);
    schedule.#queue = this.#queue;
    schedule.#isShared = this.#isShared = true;
    return schedule;
  }

  /** Returns the deadlines of the keys with a prefix that expire. */
  deadlines(prefix: string): Promise<Map<string, number>> {
    return this.#queue.deadlines(prefix);
  }

  /** Sets the expiry of a key and replaces an earlier one. */
  set(expiry: Expiry): void {
    this.#ownQueue().set(expiry);
    this.#arm();
  }

  /** Removes the expiry of a key. */
  remove(key: string): void {
    if (this.#queue.has(key)) this.#ownQueue().remove(key);
  }

  /** Starts to expire keys. Until then, expiries are only recorded. */
  start(): void {
    this.#started = true;
    this.#arm();
  }

  /** Removes all expiries and stops the timer. */
  cancel(): void {
    this.#queue = new ExpiryQueue();
    this.#isShared = false;
    this.#timer?.timer.cancel();
    this.#timer = undefined;
  }

  /** Returns the queue to change it. */
  #ownQueue(): ExpiryQueue {
    if (this.#isShared) this.#queue = this.#queue.copy();
    this.#isShared = false;
    return this.#queue;
  }

  /**
   * Ensures that a timer runs for the earliest expiry. A timer for an earlier, removed expiry stays and checks again.
   */
  #arm(): void {
    const earliest = this.#queue.peek();
    if (
      !this.#started ||
      earliest === undefined ||
      (this.#timer !== undefined && this.#timer.deadline <= earliest.deadline)
    )
      return;
    this.#timer?.timer.cancel();
    const timer = this.#clock.after(Math.max(0, earliest.deadline - this.#clock.now()), () => this.#fire());
    this.#timer = { deadline: earliest.deadline, timer };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (let due = this.#queue.peek(); due !== undefined && due.deadline <= now; due = this.#queue.peek()) {
      this.#ownQueue().remove(due.key);
      this.#expire(due);
    }
    this.#arm();
  }
}
