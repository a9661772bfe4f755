import type { Clock, Timer } from '../meta/clock.js';
import { codeLoaded } from '../meta/loading.js';

/** A clock that advances only on request. */
export interface ManualClock extends Clock {
  /** Number of timers that have not fired. */
  readonly pending: number;
  /**
   * Advances the time. Due timers fire in order of time, and in the order of their creation at the same time, each at
   * its own time. After each timer the clock {@link ManualClock.settle}s, so that timers set as a result also fire when
   * they fall due. Calls do not overlap: a second call starts after the first has finished.
   *
   * @param ms milliseconds; must not be negative
   * @throws RangeError when `ms` is negative or not finite
   */
  advance(ms: number): Promise<void>;
  /**
   * Resolves when all work that needs no more time is done: ready promises and what follows from them, and the loading of
   * code on its first use. It does not wait for the host's other work, such as sockets, files and cryptography.
   */
  settle(): Promise<void>;
}

interface PendingTimer {
  readonly at: number;
  readonly callback: () => void;
}

/** Number of rounds after which a clock counts as settled although something uses it all the time. */
const MAX_TURNS = 1000;

/** Default start of a manual clock: 2024-01-01T00:00:00Z. */
const DEFAULT_START_MS = 1_704_067_200_000;

/**
 * Creates a clock.
 *
 * @param startMs start time in milliseconds since the epoch; default the beginning of 2024
 */
export function createManualClock(startMs: number = DEFAULT_START_MS): ManualClock {
  const timers = new Set<PendingTimer>();
  let nowMs = startMs;
  let running = Promise.resolve();
  /** Number of times that the clock was used. Work that goes on uses it. */
  let uses = 0;

  const settle = async (): Promise<void> => {
    let before: number;
    let turns = 0;
    do {
      before = uses;
      await codeLoaded();
      // Long work continues in the next turn of the event loop.
      await nextTurn();
      await nextTurn();
      turns += 1;
    } while (uses !== before && turns < MAX_TURNS);
  };

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
    now() {
      uses += 1;
      return nowMs;
    },
    after(delayMs, callback): Timer {
      uses += 1;
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
      const advance = running.then(() => fireUntil(nowMs + ms));
      running = advance.catch(() => undefined);
      return advance;
    },
    settle,
  };
}

/** Returns the next timer due until `endMs`, if any. A Set preserves the order of creation. */
function earliest(timers: ReadonlySet<PendingTimer>, endMs: number): PendingTimer | undefined {
  let first: PendingTimer | undefined;
  for (const timer of timers) if (timer.at <= endMs && (first === undefined || timer.at < first.at)) first = timer;
  return first;
}

/** Waits for one turn of the event loop, before which all ready promises run. */
function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
