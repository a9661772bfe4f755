/**
 * Clock and randomness, passed in as values.
 *
 * No other code reads the wall clock, starts a timer or draws a random number. Tests pass a clock that they advance and
 * a repeatable source of randomness.
 *
 * @module
 */
import { onAbort } from '../async/on-abort.js';

/** A timer that can be cancelled. */
export interface Timer {
  /** Cancels the timer. Has no effect after the timer has fired. */
  cancel(): void;
  /**
   * Keeps the process alive until the timer fires or is cancelled. Absent when the host does not support it.
   */
  ref?(): void;
  /** Reverts {@link Timer.ref}. */
  unref?(): void;
}

/** The source of time. */
export interface Clock {
  /** Returns milliseconds since the epoch. */
  now(): number;
  /**
   * Returns milliseconds since any one moment, which go on evenly when somebody sets the time of day. Absent: that time is
   * taken instead, and must not be set.
   */
  monotonic?(): number;
  /**
   * Calls `callback` once, `delayMs` from now, unless cancelled. Does not keep a process alive, unless {@link Timer.ref} is called.
   */
  after(delayMs: number, callback: () => void): Timer;
}

/** The source of randomness. */
export interface Entropy {
  /** Returns a random (version 4) UUID in lower case. */
  uuid(): string;
  /** Returns `length` random bytes. */
  bytes(length: number): Uint8Array;
}

/** Returns milliseconds since any one moment, to measure how much time passes. */
export const monotonicMs = (clock: Clock): number => clock.monotonic?.() ?? clock.now();

/**
 * Resolves when `delayMs` have passed on the clock, or at once when the signal aborts.
 *
 * @param keepsAlive whether the process stays alive meanwhile, because a caller outside of the library waits. Default false
 */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal, keepsAlive = false): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      timer.cancel();
      stop();
      resolve();
    };
    const timer = clock.after(delayMs, done);
    if (keepsAlive) timer.ref?.();
    const stop = onAbort(signal, done);
  });
}
