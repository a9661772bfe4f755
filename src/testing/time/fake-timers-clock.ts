import { codeLoaded, shown, systemClock, turnsPutOff, type Timer } from '../../foundation/index.js';
import { advancesBy, dueTimes, nextTurn, type ManualClock } from './manual-clock.js';

/** The fake timers of vitest (`vi`) and Jest (`jest`), as far as a clock uses them. */
export interface SteppedFakeTimers {
  /** Advances the fake time to the next timer. */
  advanceTimersToNextTimerAsync(): Promise<unknown>;
  /** Returns the number of pending fake timers. */
  getTimerCount(): number;
}

/** The fake timers of `node:test` (`mock.timers`), as far as a clock uses them. */
export interface TickedFakeTimers {
  /** Advances the fake time. */
  tick(ms: number): void;
}

/** A timer of the clock. */
interface OwnTimer {
  readonly at: number;
}

/** The longest timer of the host. */
const LONGEST_MS = 0x7fff_ffff;
/** Turns of the event loop that the work after a timer has, while it goes on. */
const MAX_TURNS = 1000;
/** Turns without use of the clock after which the work is done. */
const QUIET_TURNS = 3;

/**
 * Creates a clock from the fake timers of a test runner: the server of a test and the code under test, which uses
 * `setTimeout` and `Date`, then have the same time. Start the fake timers first, and leave `nextTick`, `queueMicrotask`,
 * `setImmediate` and `performance` real:
 *
 * ```
 * vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
 * const test = await startTestServer({ clock: fakeTimersClock(vi) });
 * await test.advance('10m'); // also fires the timers of the code under test
 * ```
 *
 * With vitest and Jest, each timer fires when the work after the previous one is done. `node:test` cannot be asked for its
 * next timer: of the timers that the code under test sets, those that fall due between two of the server's fire together.
 *
 * A fork of a server with this clock has the same clock, because a program has one `setTimeout`.
 *
 * @param timers `vi`, `jest`, or `mock.timers`
 * @throws TypeError when the timers are not fake, or not of a known runner
 */
export function fakeTimersClock(timers: SteppedFakeTimers | TickedFakeTimers): ManualClock {
  checkTimers(timers);
  const own = new Set<OwnTimer>();
  let uses = 0;

  const settle = async (): Promise<void> => {
    let quiet = 0;
    for (let turn = 0; quiet < QUIET_TURNS && turn < MAX_TURNS; turn += 1) {
      const before = uses + turnsPutOff();
      await codeLoaded();
      await nextTurn();
      quiet = uses + turnsPutOff() === before ? quiet + 1 : 0;
    }
  };

  const step = 'tick' in timers ? tickedStep(timers, own) : steppedStep(timers);
  const fireFor = async (ms: number, onlyNext: boolean): Promise<void> => {
    await settle();
    const endMs = systemClock.now() + ms;
    // The end is a timer itself, so that no step goes beyond it.
    let ended = false;
    const end = after(ms, () => (ended = true));
    do {
      await step(endMs);
      await settle();
    } while (!ended && !onlyNext);
    end.cancel();
    if (ended && systemClock.now() < endMs)
      throw new Error('fakeTimersClock: the fake timers do not include Date: fake it too, so that time passes');
  };

  const after = (delayMs: number, callback: () => void): Timer => {
    const timer: OwnTimer = { at: systemClock.now() + Math.max(0, delayMs) };
    let handle: Timer;
    const arm = (ms: number): void => {
      handle = systemClock.after(Math.min(ms, LONGEST_MS), () => {
        if (ms > LONGEST_MS) return arm(ms - LONGEST_MS);
        own.delete(timer);
        callback();
      });
    };
    arm(delayMs);
    own.add(timer);
    return {
      cancel: () => {
        own.delete(timer);
        handle.cancel();
      },
    };
  };

  const clock: ManualClock = {
    now() {
      uses += 1;
      return systemClock.now();
    },
    after(delayMs, callback) {
      uses += 1;
      return after(delayMs, callback);
    },
    get pending() {
      return 'tick' in timers ? own.size : timers.getTimerCount();
    },
    get due() {
      return dueTimes(own);
    },
    ...advancesBy(fireFor),
    settle,
    fork: () => clock,
  };
  return clock;
}

/** Returns a function that advances the time to the next timer. */
const steppedStep = (timers: SteppedFakeTimers) => async (): Promise<void> => {
  await timers.advanceTimersToNextTimerAsync();
};

/** Returns a function that advances the time to the next timer of the clock, at most to an end. */
const tickedStep =
  (timers: TickedFakeTimers, own: ReadonlySet<OwnTimer>) =>
  async (endMs: number): Promise<void> => {
    const nowMs = systemClock.now();
    let next = endMs;
    for (const { at } of own) next = Math.min(next, at);
    timers.tick(Math.max(0, next - nowMs));
  };

function checkTimers(timers: SteppedFakeTimers | TickedFakeTimers): void {
  const isObject = typeof timers === 'object' && timers !== null;
  if (!isObject || !('tick' in timers || ('advanceTimersToNextTimerAsync' in timers && 'getTimerCount' in timers)))
    throw new TypeError(
      `fakeTimersClock: the argument must be vi of vitest, jest, or mock.timers of node:test, got ${shown(timers)}`,
    );
  if (areFake(timers)) return;
  throw new TypeError(
    'fakeTimersClock: setTimeout is not fake: call vi.useFakeTimers(), jest.useFakeTimers() or mock.timers.enable() first',
  );
}

/** Returns whether the timers of the host are fake now. */
function areFake(timers: SteppedFakeTimers | TickedFakeTimers): boolean {
  try {
    if ('tick' in timers) {
      timers.tick(0);
      return true;
    }
    const before = timers.getTimerCount();
    const probe = systemClock.after(1, () => undefined);
    const isFake = timers.getTimerCount() > before;
    probe.cancel();
    return isFake;
  } catch {
    return false;
  }
}
