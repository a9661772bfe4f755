import type { Clock, Timer } from '../../meta/clock.js';
import { ExpiryQueue } from './expiry-queue.js';
import type { Expiry } from './expiry-queue.js';

/** Calls for the keys that are due, with one timer for the earliest of them. */
export class ExpirySchedule {
  private readonly clock: Clock;
  private readonly expire: (expiry: Expiry) => void;
  private readonly queue = new ExpiryQueue();
  private started = false;
  private timer: { readonly deadline: number; readonly timer: Timer } | undefined;

  /** @param expire removes the key of an expiry; it may set others */
  constructor(clock: Clock, expire: (expiry: Expiry) => void) {
    this.clock = clock;
    this.expire = expire;
  }

  /** The times of all keys that are to vanish. */
  deadlines(): Map<string, number> {
    return this.queue.deadlines();
  }

  /** Lets a key vanish, instead of at the time set before. */
  set(expiry: Expiry): void {
    this.queue.set(expiry);
    this.arm();
  }

  /** Lets a key stay. */
  remove(key: string): void {
    this.queue.remove(key);
  }

  /** Begins to call. Until then keys are only noted. */
  start(): void {
    this.started = true;
    this.arm();
  }

  /** Lets all keys stay. */
  cancel(): void {
    this.queue.clear();
    this.timer?.timer.cancel();
    this.timer = undefined;
  }

  /** Sees to it that a timer runs for the earliest. One that runs for an earlier time, since lifted, stays and looks again. */
  private arm(): void {
    const earliest = this.queue.peek();
    if (
      !this.started ||
      earliest === undefined ||
      (this.timer !== undefined && this.timer.deadline <= earliest.deadline)
    )
      return;
    this.timer?.timer.cancel();
    const timer = this.clock.after(Math.max(0, earliest.deadline - this.clock.now()), () => this.fire());
    this.timer = { deadline: earliest.deadline, timer };
  }

  private fire(): void {
    this.timer = undefined;
    const now = this.clock.now();
    for (let due = this.queue.peek(); due !== undefined && due.deadline <= now; due = this.queue.peek()) {
      this.queue.remove(due.key);
      this.expire(due);
    }
    this.arm();
  }
}
