/**
 * Time and chance, as values that are passed in.
 *
 * Nothing else in the project reads the wall clock, starts a timer or draws a random number. A test passes a clock that
 * it advances itself and an entropy that repeats.
 *
 * @module
 */
import { onAbort } from './on-abort.js';

/** A timer that can be called off. */
export interface Timer {
  /** Calls the timer off; does nothing when it has fired already. */
  cancel(): void;
  /**
   * From now on the timer keeps the process alive until it fires or is called off: somebody waits for it. Absent where the
   * host has no such thing.
   */
  ref?(): void;
  /** Takes {@link Timer.ref} back. */
  unref?(): void;
}

/** The source of time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls `callback` once, `delayMs` from now, unless cancelled. Does not keep a process alive, unless {@link Timer.ref} is called.
   */
  after(delayMs: number, callback: () => void): Timer;
}

/** The source of chance. */
export interface Entropy {
  /** A random (version 4) UUID in lower case. */
  uuid(): string;
  /** `length` random bytes. */
  bytes(length: number): Uint8Array;
}

/** Resolves when `delayMs` have passed on the clock, or at once when the signal aborts. */
export function delay(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      timer.cancel();
      stop();
      resolve();
    };
    const timer = clock.after(delayMs, done);
    const stop = onAbort(signal, done);
  });
}
