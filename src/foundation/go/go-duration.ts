/**
 * Durations in the format of Go's package `time`, as in flags, parameters and configuration files of Kubernetes:
 * `5m0s`.
 *
 * @module
 */
import { goQuote } from './go-text.js';

const NANOS_PER_SECOND = 1_000_000_000n;
const NANOS_PER_MS = 1e6;
const MAX_NANOS = 2n ** 63n - 1n;
/** Maximum length of a duration's text, which bounds the work of parsing it. */
const MAX_LENGTH = 128;

const unitNanos: ReadonlyMap<string, bigint> = new Map([
  ['h', 3600n * NANOS_PER_SECOND],
  ['m', 60n * NANOS_PER_SECOND],
  ['s', NANOS_PER_SECOND],
  ['ms', 1_000_000n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ns', 1n],
]);
const PART = /^(\d*)(?:\.(\d*))?(h|ms|m|s|us|µs|μs|ns)/;

/** Returns the nanoseconds of a duration; undefined for an invalid text, or beyond 64 bits. */
export function goDurationNanos(text: string): bigint | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const negative = text.startsWith('-');
  let rest = negative || text.startsWith('+') ? text.slice(1) : text;
  if (rest === '0') return 0n;
  if (rest === '') return undefined;
  let nanos = 0n;
  while (rest !== '') {
    const match = PART.exec(rest);
    if (match === null) return undefined;
    const [whole, digits = '', fraction = '', unit = ''] = match;
    if (digits === '' && fraction === '') return undefined;
    const factor = unitNanos.get(unit) ?? 0n;
    nanos += BigInt(digits === '' ? 0 : digits) * factor;
    if (fraction !== '') nanos += (BigInt(fraction) * factor) / 10n ** BigInt(fraction.length);
    rest = rest.slice(whole.length);
  }
  const signed = negative ? -nanos : nanos;
  return signed > MAX_NANOS || signed < -MAX_NANOS - 1n ? undefined : signed;
}

/**
 * Parses a duration.
 *
 * @returns milliseconds, which may be fractional
 * @throws Error with the message of Go
 */
export function parseGoDuration(text: string): number {
  const nanos = goDurationNanos(text);
  if (nanos === undefined) throw new Error(problemOf(text));
  return Number(nanos) / NANOS_PER_MS;
}

function problemOf(text: string): string {
  const [, unit] =
    /^[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*(?:\d+\.?\d*|\.\d+)([^.\d]*)/.exec(
      text.slice(0, MAX_LENGTH),
    ) ?? [];
  if (unit === '') return `time: missing unit in duration ${goQuote(text)}`;
  if (unit !== undefined && !unitNanos.has(unit))
    return `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`;
  return `time: invalid duration ${goQuote(text)}`;
}

/** Formats a duration in milliseconds for messages: `1h0m0s`, `1.5s`, `250ms`. */
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

/** Formats a number with at most nine digits after the point, the nanoseconds of a second. */
const decimal = (value: number): string => String(Number(value.toFixed(9)));
