/**
 * Timestamps and durations with nanosecond precision, in the ranges of cel-spec ("Abstract Types") and Kubernetes: a
 * duration has 64 bits of nanoseconds.
 *
 * @module
 */

import { goDurationNanos } from '../../../foundation/index.js';

const NANOS = 1_000_000_000n;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z, in seconds since the epoch. */
const FIRST_SECOND = -62_135_596_800n;
const LAST_SECOND = 253_402_300_799n;
const LONGEST = 2n ** 63n - 1n;

/** A point in time. */
export class CelTimestamp {
  readonly nanos: bigint;
  readonly offsetMinutes: number;

  /**
   * @param nanos nanoseconds since the epoch
   * @param offsetMinutes offset of its zone, in minutes east of UTC; affects only how the timestamp is written
   */
  constructor(nanos: bigint, offsetMinutes = 0) {
    this.nanos = nanos;
    this.offsetMinutes = offsetMinutes;
  }

  /** Seconds since the epoch, rounded down. */
  get seconds(): bigint {
    return floorDivide(this.nanos, NANOS);
  }

  /** Nanoseconds within the second. */
  get fraction(): number {
    return Number(this.nanos - this.seconds * NANOS);
  }

  toString(): string {
    const date = new Date((Number(this.seconds) + this.offsetMinutes * 60) * 1000).toISOString().slice(0, 19);
    return `${date}${fractionText(this.fraction)}${zoneText(this.offsetMinutes)}`;
  }
}

/** A length of time. */
export class CelDuration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  /** Returns the seconds as CEL prints durations: `1.5s`. */
  toString(): string {
    const sign = this.nanos < 0n ? '-' : '';
    const length = this.nanos < 0n ? -this.nanos : this.nanos;
    return `${sign}${String(length / NANOS)}${fractionText(Number(length % NANOS))}s`;
  }
}

function zoneText(offsetMinutes: number): string {
  if (offsetMinutes === 0) return 'Z';
  const minutes = Math.abs(offsetMinutes);
  const digits = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0'));
  return `${offsetMinutes < 0 ? '-' : '+'}${digits.join(':')}`;
}

function fractionText(nanos: number): string {
  return nanos === 0 ? '' : `.${String(nanos).padStart(9, '0').replace(/0+$/, '')}`;
}

function floorDivide(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  return dividend % divisor < 0n ? quotient - 1n : quotient;
}

/** Returns a timestamp; undefined before the year 1 or after 9999. The offset is in minutes east of UTC. */
export function timestampOf(nanos: bigint, offsetMinutes = 0): CelTimestamp | undefined {
  const timestamp = new CelTimestamp(nanos, offsetMinutes);
  return timestamp.seconds < FIRST_SECOND || timestamp.seconds > LAST_SECOND ? undefined : timestamp;
}

/** Returns the timestamp of a number of seconds since 1970; undefined outside of the years 1 to 9999. */
export const timestampOfSeconds = (seconds: bigint): CelTimestamp | undefined => timestampOf(seconds * 1_000_000_000n);

/** Returns a duration; undefined when it exceeds 64 bits of nanoseconds. */
export function durationOf(nanos: bigint): CelDuration | undefined {
  return nanos > LONGEST || nanos < -LONGEST - 1n ? undefined : new CelDuration(nanos);
}

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,30}))?(?:[Zz]|([-+])(\d{2}):(\d{2}))$/;

/** Parses RFC 3339; undefined when it is invalid or out of range. */
export function parseTimestamp(text: string): CelTimestamp | undefined {
  const match = text.length <= 64 ? RFC3339.exec(text) : null;
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match;
  const parts = [year, month, day, hour, minute, second].map(Number);
  const [y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0] = parts;
  if (h > 23 || mi > 59 || s > 59 || Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(y, mo - 1, d);
  date.setUTCHours(h, mi, s);
  if (date.getUTCMonth() !== mo - 1 || date.getUTCDate() !== d) return undefined;
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * (sign === '-' ? -1 : 1);
  const seconds = BigInt(date.getTime() / 1000 - offset * 60);
  return timestampOf(seconds * NANOS + BigInt(fraction.slice(0, 9).padEnd(9, '0')), offset);
}

/** Parses a duration as Go writes it, `1h15m30.918s`; undefined when it is invalid or out of range. */
export function parseDuration(text: string): CelDuration | undefined {
  const nanos = goDurationNanos(text);
  return nanos === undefined ? undefined : durationOf(nanos);
}
