import {
  codeLoaded,
  durationMs,
  shown,
  turnsPutOff,
  type Clock,
  type Duration,
  type Timer,
} from '../../foundation/index.js';

/** A clock that advances only on request. */
export interface ManualClock extends Clock {
  /** Number of timers that have not fired. */
  readonly pending: number;
  /** Times at which these timers fall due, in order, in milliseconds since the epoch. */
  readonly due: readonly number[];
  /**
   * Advances the time. Due timers fire in order of time, and in the order of their creation at the same time, each at
   * its own time. After each timer the clock {@link ManualClock.settle}s, so that timers set as a result also fire when
   * they fall due. Calls do not overlap: a second call starts after the first has finished.
   *
   * @param duration milliseconds, or a string such as `2h` or `1m30s`; must not be negative
   * @throws RangeError for any other value
   */
  advance(duration: Duration): Promise<void>;
  /**
   * Advances the time to the next timer, or by `atMost` if none falls due by then. Otherwise like {@link
   * ManualClock.advance}.
   */
  advanceToNext(atMost: Duration): Promise<void>;
  /**
   * Resolves when all work that needs no more time is done: ready promises and what follows from them, and the loading of
   * code on its first use. It does not wait for the host's other work, such as sockets, files and cryptography.
   */
  settle(): Promise<void>;
  /** Returns the clock of a fork of a server that was started with this clock. Absent: a new clock at its time. */
  fork?(): ManualClock;
}

/** The clock of a test server. */
export interface TestClock extends ManualClock {
  /** Sets the function that is called, and waited for, before time passes. */
  beforeAdvance(prepare: () => Promise<void>): void;
  /** Sets the time, also to an earlier one. The pending timers never fire. */
  restart(nowMs: number): void;
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
 * @param start start time in milliseconds since the epoch; default the beginning of 2024
 */
export function createManualClock(start: number = DEFAULT_START_MS): ManualClock {
  return createTestClock(start);
}

/** Creates the clock of a test server. */
export function createTestClock(startMs: number = DEFAULT_START_MS): TestClock {
  const timers = new Set<PendingTimer>();
  let nowMs = startMs;
  let prepare: (() => Promise<void>) | undefined;
  /** Number of times that the clock was used. Work that goes on uses it. */
  let uses = 0;

  const settle = (): Promise<void> => untilUnused(() => uses);

  const fireFor = async (ms: number, onlyNext: boolean): Promise<void> => {
    await prepare?.();
    await settle();
    const next = onlyNext ? earliest(timers, nowMs + ms) : undefined;
    const endMs = next === undefined ? nowMs + ms : Math.max(nowMs, next.at);
    for (let next = earliest(timers, endMs); next !== undefined; next = earliest(timers, endMs)) {
      timers.delete(next);
      nowMs = Math.max(nowMs, next.at);
      next.callback();
      await settle();
    }
    nowMs = Math.max(nowMs, endMs);
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
    get due() {
      return dueTimes(timers);
    },
    ...advancesBy(fireFor),
    settle,
    beforeAdvance(before) {
      prepare = before;
    },
    restart(startAtMs) {
      timers.clear();
      nowMs = startAtMs;
    },
  };
}

/**
 * Returns the members that advance a clock. Calls do not overlap.
 *
 * @param fireFor fires the timers of a time in milliseconds, or only those up to the next one
 */
export function advancesBy(
  fireFor: (ms: number, onlyNext: boolean) => Promise<void>,
): Pick<ManualClock, 'advance' | 'advanceToNext'> {
  let running = Promise.resolve();
  const advance = (duration: Duration, onlyNext: boolean): Promise<void> => {
    const ms = advanceMs(duration);
    const advancing = running.then(() => fireFor(ms, onlyNext));
    running = advancing.catch(() => undefined);
    return advancing;
  };
  return { advance: (duration) => advance(duration, false), advanceToNext: (atMost) => advance(atMost, true) };
}

/** Returns the times of timers in order. */
export const dueTimes = (timers: Iterable<{ readonly at: number }>): number[] =>
  Array.from(timers, ({ at }) => at).sort((left, right) => left - right);

/** Returns a length of time by which a clock can be advanced, in milliseconds. @throws RangeError for any other value */
export function advanceMs(duration: Duration): number {
  let ms = NaN;
  try {
    ms = durationMs(duration);
  } catch {
    // Reported below.
  }
  if (ms >= 0 && ms < Infinity) return ms;
  throw new RangeError(
    `a clock is advanced by milliseconds, or by a string such as '2h' or '1m30s', got ${shown(duration)}`,
  );
}

/**
 * Waits for all work that needs no more time. It is done when the clock has not been used for two turns of the event loop, and
 * nothing has been put off until a later turn.
 *
 * @param uses returns the number of times that the clock was used
 */
export async function untilUnused(uses: () => number): Promise<void> {
  const signs = (): number => uses() + turnsPutOff();
  let before: number;
  let turns = 0;
  do {
    before = signs();
    await codeLoaded();
    // Long work continues in the next turn of the event loop.
    await nextTurn();
    await nextTurn();
    turns += 1;
  } while (signs() !== before && turns < MAX_TURNS);
}

/** Returns the next timer due until `endMs`, if any. A Set preserves the order of creation. */
export function earliest<Pending extends { readonly at: number }>(
  timers: ReadonlySet<Pending>,
  endMs: number,
): Pending | undefined {
  let first: Pending | undefined;
  for (const timer of timers) if (timer.at <= endMs && (first === undefined || timer.at < first.at)) first = timer;
  return first;
}

/** Waits for one turn of the event loop, before which all ready promises run. */
export function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
