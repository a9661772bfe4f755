import type { Clock, Timer } from '../../src/foundation/time/clock.js';

/** A clock that only moves when it is advanced; due timers fire in order of their times. */
export class ManualClock implements Clock {
  private time: number;
  private readonly timers = new Set<{ at: number; callback: () => void }>();

  constructor(time = 1_700_000_000_000) {
    this.time = time;
  }

  get pending(): number {
    return this.timers.size;
  }

  now(): number {
    return this.time;
  }

  after(delayMs: number, callback: () => void): Timer {
    const timer = { at: this.time + delayMs, callback };
    this.timers.add(timer);
    return { cancel: () => void this.timers.delete(timer) };
  }

  advance(ms: number): void {
    const end = this.time + ms;
    for (;;) {
      let next: { at: number; callback: () => void } | undefined;
      for (const timer of this.timers) if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer;
      if (next === undefined) break;
      this.timers.delete(next);
      this.time = Math.max(this.time, next.at);
      next.callback();
    }
    this.time = end;
  }

  /** Sets the wall clock without firing any timer, as when a host corrects its time. */
  jump(ms: number): void {
    this.time += ms;
  }
}
