/**
 * Arithmetic with integers of 64 bits in objects of built-in kinds. As in the types of the official client, their type is
 * `number`; beyond ±(2^53 - 1) they are bigints, which operators refuse to mix with numbers.
 *
 * @module
 */
import { integerValue } from './json-text.js';

const MS_PER_SECOND = 1_000;
const NANOS_PER_SECOND = 1_000_000_000n;
const NANOS_PER_MS = 1_000_000n;
/** More than any sensible duration, and less than Go can hold in nanoseconds. */
const LONG_SECONDS = 9_000_000_000;

/** Returns a number of seconds in milliseconds. Like the nanoseconds of Go, it wraps around beyond 292 years. */
export function secondsAsMs(seconds: number | bigint): number {
  if (seconds < LONG_SECONDS && seconds > -LONG_SECONDS) return Number(seconds) * MS_PER_SECOND;
  if (typeof seconds === 'number' && !Number.isInteger(seconds)) return seconds * MS_PER_SECOND;
  return Number(BigInt.asIntN(64, BigInt(seconds) * NANOS_PER_SECOND) / NANOS_PER_MS);
}

/** Digits of the longest integer of 64 bits. */
const MOST_DIGITS = 20;

/**
 * Returns the integer of a text of decimal digits, which may have a sign; undefined beyond the bounds, which have at most
 * 64 bits. A text may have millions of digits, so that no number is made of them.
 */
export function integerWithin(text: string, least: bigint, greatest: bigint): bigint | undefined {
  const digits = text.replace(/^[+-]?0*(?=[0-9])/, '');
  if (digits.length > MOST_DIGITS) return undefined;
  const value = text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
  return value < least || value > greatest ? undefined : value;
}

/** Returns the next integer, which wraps around as in Go. Its type is that of the fields that hold it. */
export const nextInt64 = (value: number | bigint): number =>
  typeof value === 'number' && value < Number.MAX_SAFE_INTEGER
    ? value + 1
    : (integerValue(BigInt.asIntN(64, BigInt(value) + 1n)) as number);

/** Compares two integers: negative, zero or positive. */
export const compareInt64 = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0);
