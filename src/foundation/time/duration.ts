import { parseGoDuration } from '../go/go-duration.js';
import { matching, type OptionCheck } from '../options/options.js';

/** A length of time: milliseconds, or a string such as `5s`, `1m30s` or `250ms`. */
export type Duration = number | string;

/** Returns a length of time in milliseconds. @throws Error for a text that is not one */
export function durationMs(duration: Duration): number {
  return typeof duration === 'number' ? duration : parseGoDuration(duration);
}

/** Whether a value is a length of time. */
export function isDuration(value: unknown): value is Duration {
  if (typeof value === 'number') return value >= 0 && value < Infinity;
  if (typeof value !== 'string') return false;
  try {
    return parseGoDuration(value) >= 0;
  } catch {
    return false;
  }
}

/** Checks a length of time. */
export const aDuration: OptionCheck = matching('milliseconds, or a string such as "5s" or "1m30s"', isDuration);

/** Checks a length of time above 0. */
export const aPositiveDuration: OptionCheck = matching(
  'milliseconds above 0, or a string such as "5s" or "1m30s"',
  (value) => isDuration(value) && durationMs(value) > 0,
);
