/**
 * Lengths of time as production's configuration files have them: `5m0s` (package `time` of Go).
 *
 * @module
 */
import { parseDuration } from '../../cel/time-values.js';
import { goQuote } from '../../meta/go-text.js';

const NANOS_PER_MS = 1e6;
const UNITS = ['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'];

/**
 * Reads a length of time.
 *
 * @returns milliseconds; less than one is a fraction
 * @throws Error in the words of production's language
 */
export function parseGoDuration(text: string): number {
  const duration = parseDuration(text);
  if (duration === undefined) throw new Error(problemOf(text));
  return Number(duration.nanos) / NANOS_PER_MS;
}

function problemOf(text: string): string {
  const [, unit] = /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*(?:\d+\.?\d*|\.\d+)([^.\d]*)/.exec(text.slice(0, 128)) ?? [];
  if (unit === '') return `time: missing unit in duration ${goQuote(text)}`;
  if (unit !== undefined && !UNITS.includes(unit)) return `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`;
  return `time: invalid duration ${goQuote(text)}`;
}

/** A length of time in milliseconds, as messages show it: `1h0m0s`, `1.5s`, `250ms`. */
export function formatGoDuration(ms: number): string {
  if (ms === 0) return '0s';
  const sign = ms < 0 ? '-' : '';
  const length = Math.abs(ms);
  if (length < 1000) return sign + shortText(length);
  const [hours, minutes] = [Math.floor(length / 3_600_000), Math.floor(length / 60_000) % 60];
  const seconds = `${decimal((length % 60_000) / 1000)}s`;
  if (hours > 0) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${sign}${minutes}m${seconds}` : sign + seconds;
}

function shortText(ms: number): string {
  if (ms >= 1) return `${decimal(ms)}ms`;
  return ms >= 1e-3 ? `${decimal(ms * 1e3)}µs` : `${decimal(ms * 1e6)}ns`;
}

/** Nine digits after the point are nanoseconds of a second, the finest there is. */
const decimal = (value: number): string => String(Number(value.toFixed(9)));
