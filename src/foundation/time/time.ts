/**
 * Times as the API writes them: RFC 3339 in UTC, with seconds (`Time`) or microseconds (`MicroTime`).
 *
 * @module
 */

const MS_PER_SECOND = 1000;
const SECONDS_PER_DAY = 86_400;
const MICROS_PER_SECOND = 1_000_000n;
/** First and last second of the years 0 to 9999, the range of RFC 3339. */
const FIRST_SECOND = -62_167_219_200;
const LAST_SECOND = 253_402_300_799;
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

let lastSecond = 0;
let lastText = '1970-01-01T00:00:00Z';
/** The second before: an object with a start and an end has two. */
let earlierSecond = lastSecond;
let earlierText = lastText;

/**
 * Formats a time as `2006-01-02T15:04:05Z`, truncated to the second.
 *
 * @param ms milliseconds since the epoch
 * @throws RangeError outside of the years 0 to 9999
 */
export function formatTime(ms: number): string {
  const second = Math.floor(ms / MS_PER_SECOND);
  if (second === lastSecond) return lastText;
  if (second === earlierSecond) return earlierText;
  // Many writes share a second, and a date object costs more than the rest of the format.
  earlierSecond = lastSecond;
  earlierText = lastText;
  lastText = `${formatSecond(second)}Z`;
  lastSecond = second;
  return lastText;
}

/**
 * Formats a time in milliseconds since the epoch as `2006-01-02T15:04:05.000000Z`.
 *
 * @throws RangeError outside of the years 0 to 9999
 */
export function formatMicroTime(ms: number): string {
  return formatMicroseconds(BigInt(Math.floor(ms)) * 1000n);
}

/**
 * Formats a time in microseconds since the epoch as `2006-01-02T15:04:05.000000Z`.
 *
 * @throws RangeError outside of the years 0 to 9999
 */
export function formatMicroseconds(micros: bigint): string {
  const fraction = ((micros % MICROS_PER_SECOND) + MICROS_PER_SECOND) % MICROS_PER_SECOND;
  const second = Number((micros - fraction) / MICROS_PER_SECOND);
  return `${formatSecond(second)}.${fraction.toString().padStart(6, '0')}Z`;
}

/**
 * Parses an RFC 3339 time with any offset and any fraction, strictly: capital `T` and `Z`, two digits each, no leap
 * seconds, valid days.
 *
 * @returns milliseconds since the epoch, truncated; undefined for an invalid string
 */
export function parseTime(text: string): number | undefined {
  const parts = parse(text);
  return parts && parts.second * MS_PER_SECOND + Number(parts.fraction.slice(0, 3).padEnd(3, '0'));
}

/** Returns the canonical form of a time: UTC, with seconds. Undefined for an invalid text. */
export function canonicalTime(text: string): string | undefined {
  // Objects that are written together have the same times.
  if (text === lastText || text === earlierText) return text;
  const parts = parse(text);
  return parts && formatTime(parts.second * MS_PER_SECOND);
}

/**
 * Parses a time with microseconds: RFC 3339 with any offset and exactly six fractional digits, as Kubernetes requires.
 *
 * @returns microseconds since the epoch; undefined for an invalid string
 */
export function parseMicroTime(text: string): bigint | undefined {
  const parts = parse(text);
  return parts?.fraction.length === 6 ? BigInt(parts.second) * MICROS_PER_SECOND + BigInt(parts.fraction) : undefined;
}

/**
 * Returns the canonical form of a time with microseconds, in UTC. Undefined when {@link parseMicroTime} refuses the
 * text.
 */
export function canonicalMicroTime(text: string): string | undefined {
  const micros = parseMicroTime(text);
  return micros === undefined ? undefined : formatMicroseconds(micros);
}

function formatSecond(second: number): string {
  if (!(second >= FIRST_SECOND && second <= LAST_SECOND))
    throw new RangeError(`time is outside of the years 0 to 9999: ${second} seconds since the epoch`);
  return new Date(second * MS_PER_SECOND).toISOString().slice(0, 19);
}

interface Parts {
  /** Seconds since the epoch. */
  readonly second: number;
  /** Digits of the fraction; empty when there is none. */
  readonly fraction: string;
}

function parse(text: string): Parts | undefined {
  if (
    text.length < 20 ||
    text[4] !== '-' ||
    text[7] !== '-' ||
    text[10] !== 'T' ||
    text[13] !== ':' ||
    text[16] !== ':'
  )
    return undefined;
  const days = daysSinceEpoch(digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2));
  const seconds = secondsOfDay(digits(text, 11, 2), digits(text, 14, 2), digits(text, 17, 2));
  const zoneStart = fractionEnd(text);
  const offset = offsetSeconds(text, zoneStart);
  if (days === undefined || seconds === undefined || offset === undefined) return undefined;
  const second = days * SECONDS_PER_DAY + seconds - offset;
  if (second < FIRST_SECOND || second > LAST_SECOND) return undefined;
  return { second, fraction: text.slice(20, zoneStart) };
}

/** Returns the number in `count` digits; -1 when they are not all digits. */
function digits(text: string, start: number, count: number): number {
  let value = 0;
  for (let index = start; index < start + count; index += 1) {
    const digit = text.charCodeAt(index) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return -1;
    value = value * 10 + digit;
  }
  return value;
}

/** Returns the index of the zone, after the fraction if present; -1 when the fraction has no digits. */
function fractionEnd(text: string): number {
  if (text[19] !== '.') return 19;
  let index = 20;
  while (digits(text, index, 1) >= 0) index += 1;
  return index === 20 ? -1 : index;
}

function offsetSeconds(text: string, start: number): number | undefined {
  const sign = text[start];
  if (sign === 'Z') return text.length === start + 1 ? 0 : undefined;
  if ((sign !== '+' && sign !== '-') || text.length !== start + 6 || text[start + 3] !== ':') return undefined;
  const seconds = secondsOfDay(digits(text, start + 1, 2), digits(text, start + 4, 2), 0);
  return seconds === undefined || sign === '+' ? seconds : -seconds;
}

function secondsOfDay(hour: number, minute: number, second: number): number | undefined {
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return undefined;
  return (hour * 60 + minute) * 60 + second;
}

/** Returns the days from 1970-01-01 to a day of the Gregorian calendar; undefined for an invalid day. */
function daysSinceEpoch(year: number, month: number, day: number): number | undefined {
  if (year < 0 || month < 1 || month > 12 || day < 1) return undefined;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (day > (month === 2 && leap ? 29 : (MONTH_DAYS[month - 1] ?? 0))) return undefined;
  // Years are counted from March, so that the leap day is the last of its year.
  const shifted = month > 2 ? year : year - 1;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}
