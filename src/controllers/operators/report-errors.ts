import { consoleLogger, LruMap, messageOf, monotonicMs, type Clock } from '../../foundation/index.js';
import type { ErrorOrigin } from './managed-controller.js';

/** Maximum number of different errors that are remembered; the least recent is forgotten first. */
const MOST_ERRORS = 1024;
/** An error that comes back after this time is a new one, in milliseconds: the longest pause of a run is 16 minutes. */
const FORGOTTEN_MS = 20 * 60_000;

/**
 * Returns what logs the errors of a manager. One that repeats is counted, and logged the 1st, 2nd, 4th, 8th… time: a
 * server that cannot be reached fails every half minute, for each kind.
 */
export function loggedErrors(clock: Clock): (error: unknown, origin: ErrorOrigin) => void {
  const known = new LruMap<string, { readonly times: number; readonly lastMs: number }>(MOST_ERRORS);
  return (error, origin) => {
    const what = JSON.stringify([origin.controller, origin.key, messageOf(error)]);
    const nowMs = monotonicMs(clock);
    const last = known.get(what);
    const times = last === undefined || nowMs - last.lastMs > FORGOTTEN_MS ? 1 : last.times + 1;
    known.set(what, { times, lastMs: nowMs });
    if ((times & (times - 1)) !== 0) return;
    consoleLogger.error('a controller failed and will try again', {
      ...origin,
      ...(times === 1 ? {} : { times }),
      error,
    });
  };
}
