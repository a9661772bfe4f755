import type { Clock, Timer } from '../../foundation/index.js';
import { advancesBy, dueTimes, earliest, untilUnused, type ManualClock } from './manual-clock.js';

/** A clock that runs with another one, and can be advanced. */
export interface RunningClock extends ManualClock {
  /** Returns a clock that runs with the same host, from the same time. */
  fork(): RunningClock;
  /** Goes back to the difference from the host's time with which the clock was created. */
  restart(): void;
}

/** A timer with the timer of the host that fires it. */
interface RunningTimer {
  readonly at: number;
  readonly callback: () => void;
  host: Timer;
}

/**
 * Creates a clock that runs with another one, and can also be advanced: for code under test that uses the host's time,
 * such as a program in another process.
 *
 * @param host clock to run with
 * @param startMs start time in milliseconds since the epoch; default the time of the host
 */
export function createRunningClock(host: Clock, startMs: number = host.now()): RunningClock {
  const timers = new Set<RunningTimer>();
  const startAheadMs = startMs - host.now();
  /** Difference from the host's time. */
  let aheadMs = startAheadMs;
  let uses = 0;

  const nowMs = (): number => host.now() + aheadMs;
  const settle = (): Promise<void> => untilUnused(() => uses);

  const hostTimer = (timer: Pick<RunningTimer, 'at'>, due: () => void): Timer => host.after(timer.at - nowMs(), due);
  const fireIfDue = (timer: RunningTimer): void => {
    if (!timers.has(timer)) return;
    // A timer of the host may fire early: it rounds, and has a maximum.
    if (nowMs() < timer.at) {
      timer.host = hostTimer(timer, () => fireIfDue(timer));
      return;
    }
    timers.delete(timer);
    timer.callback();
  };
  /** Sets the timers of the host again, after the difference has changed. */
  const rearm = (): void => {
    for (const timer of timers) {
      timer.host.cancel();
      timer.host = hostTimer(timer, () => fireIfDue(timer));
    }
  };

  const fireFor = async (ms: number, onlyNext: boolean): Promise<void> => {
    await settle();
    const limitMs = nowMs() + ms;
    const endMs = onlyNext ? (earliest(timers, limitMs)?.at ?? limitMs) : limitMs;
    for (let next = earliest(timers, endMs); next !== undefined; next = earliest(timers, endMs)) {
      timers.delete(next);
      next.host.cancel();
      aheadMs += Math.max(0, next.at - nowMs());
      next.callback();
      await settle();
    }
    aheadMs += Math.max(0, endMs - nowMs());
    rearm();
  };

  return {
    now() {
      uses += 1;
      return nowMs();
    },
    after(delayMs, callback) {
      uses += 1;
      const at = nowMs() + Math.max(0, delayMs);
      const timer: RunningTimer = { at, callback, host: hostTimer({ at }, () => fireIfDue(timer)) };
      timers.add(timer);
      return {
        cancel() {
          timers.delete(timer);
          timer.host.cancel();
        },
      };
    },
    get pending() {
      return timers.size;
    },
    get due() {
      return dueTimes(timers);
    },
    ...advancesBy(fireFor),
    settle,
    fork: () => createRunningClock(host, nowMs()),
    restart() {
      aheadMs = startAheadMs;
      rearm();
    },
  };
}
