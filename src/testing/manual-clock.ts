import type { Clock, Timer } from '../meta/clock.js';

/** A clock that stands still until it is advanced. */
export interface ManualClock extends Clock {
  /** Timers that have not fired yet. */
  readonly pending: number;
  /**
   * Moves the time on. Timers that come due fire in order of their times, those of one time in the order in which they were
   * set, each at its own time; after each the clock {@link ManualClock.settle}s, so that timers which are set in
   * consequence fire too when they are due within the same stretch. Stretches do not overlap: a second call begins when
   * the first is through.
   *
   * @param ms not negative
   * @throws RangeError for a negative or unreal number: time does not go back
   */
  advance(ms: number): Promise<void>;
  /**
   * Resolves when everything that could go on without more time has gone on: promises that were ready, and what followed
   * from them. It does not wait for the host's own work, such as sockets, files and cryptography.
   */
  settle(): Promise<void>;
}

interface PendingTimer {
  readonly at: number;
  readonly callback: () => void;
}

/** Start of every manual clock that is not told another: 2024-01-01T00:00:00Z. */
const DEFAULT_START_MS = 1_704_067_200_000;

/** Makes a clock that stands at `startMs`, milliseconds since the epoch; by default at the beginning of 2024. */
export function createManualClock(startMs: number = DEFAULT_START_MS): ManualClock {
  const timers = new Set<PendingTimer>();
  let nowMs = startMs;
  let running = Promise.resolve();

  const fireUntil = async (endMs: number): Promise<void> => {
    await settle();
    for (let next = earliest(timers, endMs); next !== undefined; next = earliest(timers, endMs)) {
      timers.delete(next);
      nowMs = Math.max(nowMs, next.at);
      next.callback();
      await settle();
    }
    nowMs = endMs;
  };

  return {
    now: () => nowMs,
    after(delayMs, callback): Timer {
      const timer = { at: nowMs + Math.max(0, delayMs), callback };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer) };
    },
    get pending() {
      return timers.size;
    },
    advance(ms) {
      if (!(ms >= 0 && ms < Infinity))
        throw new RangeError(`a clock is advanced by a number of milliseconds, got ${ms}`);
      const stretch = running.then(() => fireUntil(nowMs + ms));
      running = stretch.catch(() => undefined);
      return stretch;
    },
    settle,
  };
}

/** The timer that fires next, if it does until `endMs`; a Set keeps the order in which they were set. */
function earliest(timers: ReadonlySet<PendingTimer>, endMs: number): PendingTimer | undefined {
  let first: PendingTimer | undefined;
  for (const timer of timers) if (timer.at <= endMs && (first === undefined || timer.at < first.at)) first = timer;
  return first;
}

/** A turn of the host's event loop, before which every promise that is ready has run. */
function settle(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
