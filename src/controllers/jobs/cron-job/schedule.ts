/**
 * When a CronJob starts its next Job.
 *
 * @see release 1.31, `mostRecentScheduleTime` of the controller of CronJobs
 * @module
 */
import { parseCronSchedule, parseTime, secondsAsMs } from '../../../foundation/index.js';
import type { CronJobObject } from './types.js';

/** Returns the first time after another one; undefined when there is none. */
export type NextTime = (afterMs: number) => number | undefined;

/** Number of missed times from which a schedule is reported. */
const MANY = 100;

/** Returns the schedule of a CronJob. @throws Error when it cannot be parsed, or its time zone is unknown */
export function scheduleOf({ spec }: CronJobObject): NextTime {
  const { schedule = '', timeZone } = spec ?? {};
  const parsed = parseCronSchedule(schedule);
  // A time zone in the schedule is not combined with that of the spec.
  const zone = schedule.includes('TZ') ? undefined : timeZone;
  return (afterMs) => (zone === undefined ? parsed.next(afterMs) : parsed.next(afterMs, zone));
}

/** The last time of a schedule that has passed since a CronJob last started a Job. */
export interface UnmetTime {
  /** The time from which on times count: the last start, or the creation. */
  readonly earliestMs: number;
  /** Undefined when no time has passed. */
  readonly timeMs: number | undefined;
  /** Number of passed times, estimated from the first two. */
  readonly missed: number;
}

/**
 * Finds the last time that has passed.
 *
 * @param withDeadline whether times count only within `startingDeadlineSeconds`
 * @throws Error for a schedule without times
 */
export function unmetTime(
  { metadata, spec, status }: CronJobObject,
  next: NextTime,
  nowMs: number,
  withDeadline: boolean,
): UnmetTime {
  const sinceMs = parseTime(status?.lastScheduleTime ?? metadata.creationTimestamp ?? '') ?? nowMs;
  const { startingDeadlineSeconds: deadline } = spec ?? {};
  const earliestMs =
    withDeadline && deadline !== undefined ? Math.max(sinceMs, nowMs - secondsAsMs(deadline)) : sinceMs;
  const firstMs = next(earliestMs);
  const secondMs = firstMs === undefined ? undefined : next(firstMs);
  if (firstMs !== undefined && nowMs < firstMs) return { earliestMs, timeMs: undefined, missed: 0 };
  if (firstMs !== undefined && (secondMs === undefined || nowMs < secondMs))
    return { earliestMs, timeMs: firstMs, missed: 0 };
  if (firstMs === undefined || secondMs === undefined)
    throw new Error('time difference between two schedules is less than 1 second');
  const intervalMs = secondMs - firstMs;
  const missed = Math.floor((nowMs - firstMs) / intervalMs) + 1;
  return { earliestMs, timeMs: lastUntil(next, firstMs + (missed - 2) * intervalMs, nowMs), missed };
}

/** Returns the last time after `fromMs` until now. */
function lastUntil(next: NextTime, fromMs: number, nowMs: number): number | undefined {
  let last: number | undefined;
  for (let time = next(fromMs); time !== undefined && time <= nowMs; time = next(time)) last = time;
  return last;
}

/** Returns whether so many times were missed that it is reported. */
export const isTooMany = ({ missed }: UnmetTime): boolean => missed > MANY;

/** Returns the time until the next start, in milliseconds; infinite when there is none. */
export function untilNext(cronJob: CronJobObject, next: NextTime, nowMs: number): number {
  let fromMs: number;
  try {
    const { earliestMs, timeMs, missed } = unmetTime(cronJob, next, nowMs, false);
    fromMs = timeMs ?? (missed === 0 ? earliestMs : nowMs);
  } catch {
    fromMs = nowMs;
  }
  return (next(fromMs) ?? Infinity) - nowMs;
}
