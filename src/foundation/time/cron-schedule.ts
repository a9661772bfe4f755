/**
 * Schedules in the standard format of cron, as CronJobs have them: `*\/5 * * * *`, `@hourly`, `@every 1h30m`, and
 * `TZ=Europe/Berlin 0 6 * * *`. Syntax, errors and times are those of the Go library `robfig/cron` (v3).
 *
 * @module
 */
import { ownMember } from '../collections/own-property.js';
import { parseGoDuration } from '../go/go-duration.js';
import { quotedText, shownText } from '../errors/shown-text.js';
import { integerWithin } from '../json/int64.js';
import { TimeZone } from './time-zone.js';

/** A parsed schedule. */
export interface CronSchedule {
  /**
   * Returns the first time of the schedule after `afterMs`, in milliseconds since the epoch, at a full second.
   * Undefined when there is none within five years, as for February 30.
   *
   * @param timeZone IANA name of the time zone of the schedule; default UTC. A time zone in the schedule itself wins
   * @throws Error for an unknown time zone: `unknown time zone Mars/Olympus`
   */
  next(afterMs: number, timeZone?: string): number | undefined;
}

/** Values of a field. */
interface Field {
  readonly values: ReadonlySet<number>;
  /** Whether the field is a star, which does not restrict the days. */
  readonly star: boolean;
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  /** Names of values, in lower case. */
  readonly names: readonly string[];
  /** The value of the first name. */
  readonly firstName: number;
}

type FieldName = 'minute' | 'hour' | 'dayOfMonth' | 'month' | 'dayOfWeek';
type Fields = Readonly<Record<FieldName, Field>>;

const numbers = (min: number, max: number, names: readonly string[] = [], firstName = 0): Bounds => ({
  ...{ min, max, names, firstName },
});
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The fields in their order. */
const BOUNDS: readonly (readonly [FieldName, Bounds])[] = [
  ['minute', numbers(0, 59)],
  ['hour', numbers(0, 23)],
  ['dayOfMonth', numbers(1, 31)],
  ['month', numbers(1, 12, MONTHS, 1)],
  ['dayOfWeek', numbers(0, 6, WEEKDAYS)],
];

/** Schedules with names. */
const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const EVERY = '@every ';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MINUTES_PER_DAY = 1440;
/** Number of years in which a time is looked for. */
const YEARS = 5;

/** Most characters of a schedule: all minutes and hours, one by one, are some hundred. It is parsed in one piece. */
const MAX_LENGTH = 16_384;

/**
 * Parses a schedule.
 *
 * @throws Error with the message of the Go library: `expected exactly 5 fields, found 1: [daily]`; for a longer schedule
 *   than 16,384 characters
 */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === '') throw new Error('empty spec string');
  if (text.length > MAX_LENGTH) throw new Error(`must have at most ${MAX_LENGTH} characters`);
  const { zone, rest } = splitZone(text);
  if (rest.startsWith(EVERY)) return intervalSchedule(rest);
  if (!rest.startsWith('@')) return fieldSchedule(rest, zone);
  const standard = Object.hasOwn(DESCRIPTORS, rest) ? ownMember(DESCRIPTORS, rest) : undefined;
  if (standard === undefined) throw new Error(`unrecognized descriptor: ${rest}`);
  return fieldSchedule(standard, zone);
}

/** Separates the time zone of a schedule: `TZ=… ` or `CRON_TZ=… `. */
function splitZone(text: string): { readonly zone?: TimeZone | undefined; readonly rest: string } {
  if (!/^(CRON_)?TZ=/.test(text)) return { rest: text };
  const space = text.indexOf(' ');
  // Without fields the Go library fails at the end of the text; the fields are what is missing.
  if (space < 0) throw new Error('expected exactly 5 fields, found 0: []');
  const name = text.slice(text.indexOf('=') + 1, space);
  try {
    return { zone: new TimeZone(name), rest: text.slice(space).trim() };
  } catch (error) {
    throw new Error(`provided bad location ${name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

/** A schedule with a constant interval of full seconds, at least one. */
function intervalSchedule(text: string): CronSchedule {
  let durationMs: number;
  try {
    durationMs = parseGoDuration(text.slice(EVERY.length));
  } catch (error) {
    throw new Error(`failed to parse duration ${text}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  const intervalMs = Math.max(SECOND_MS, Math.trunc(durationMs / SECOND_MS) * SECOND_MS);
  return { next: (afterMs) => Math.floor(afterMs / SECOND_MS) * SECOND_MS + intervalMs };
}

function fieldSchedule(text: string, ownZone: TimeZone | undefined): CronSchedule {
  const fields = parseFields(text);
  let known: { readonly name: string; readonly zone: TimeZone } | undefined;
  return {
    next(afterMs, timeZone = 'UTC') {
      if (ownZone !== undefined) return nextTime(fields, afterMs, ownZone);
      if (known?.name !== timeZone) known = { name: timeZone, zone: new TimeZone(timeZone) };
      return nextTime(fields, afterMs, known.zone);
    },
  };
}

function parseFields(text: string): Fields {
  const texts = text.split(/\s+/u).filter((part) => part !== '');
  if (texts.length !== BOUNDS.length)
    throw new Error(`expected exactly ${BOUNDS.length} fields, found ${texts.length}: [${texts.join(' ')}]`);
  const parsed = BOUNDS.map(([name, bounds], index) => [name, parseField(texts[index] ?? '', bounds)] as const);
  return Object.fromEntries(parsed) as Record<FieldName, Field>;
}

/** Parses a field: ranges, separated by commas. */
function parseField(text: string, bounds: Bounds): Field {
  const values = new Set<number>();
  let star = false;
  // A long field repeats its expressions: few are different.
  for (const expression of new Set(text.split(','))) {
    if (expression === '') continue;
    const range = parseRange(expression, bounds);
    star ||= range.star;
    for (let value = range.start; value <= range.end; value += range.step) values.add(value);
  }
  return { values, star };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly star: boolean;
}

/** Parses `*`, `5`, `mon-fri`, and any of them with a step: `0-30/10`. `5/10` runs to the maximum. */
function parseRange(expression: string, bounds: Bounds): Range {
  const [limits = '', stepText, ...moreSteps] = expression.split('/');
  const [low = '', high, ...moreLimits] = limits.split('-');
  const isStar = low === '*' || low === '?';
  const start = isStar ? bounds.min : parseValue(low, bounds);
  let end = isStar ? bounds.max : high === undefined ? start : parseValue(high, bounds);
  if (!isStar && moreLimits.length > 0) throw new Error(`too many hyphens: ${expression}`);
  let step = 1;
  if (stepText !== undefined) {
    if (moreSteps.length > 0) throw new Error(`too many slashes: ${expression}`);
    step = parseNumber(stepText);
    if (high === undefined) end = bounds.max;
  }
  checkRange(expression, bounds, start, end, step);
  return { start, end, step, star: isStar && step === 1 };
}

function checkRange(expression: string, { min, max }: Bounds, start: number, end: number, step: number): void {
  if (start < min) throw new Error(`beginning of range (${start}) below minimum (${min}): ${expression}`);
  if (end > max) throw new Error(`end of range (${end}) above maximum (${max}): ${expression}`);
  if (start > end) throw new Error(`beginning of range (${start}) beyond end of range (${end}): ${expression}`);
  if (step === 0) throw new Error(`step of range should be a positive number: ${expression}`);
}

function parseValue(text: string, { names, firstName }: Bounds): number {
  const index = names.indexOf(text.toLowerCase());
  return index < 0 ? parseNumber(text) : index + firstName;
}

const MAX_INT = 2n ** 63n - 1n;
/** Number of digits up to which a number is exact. */
const SAFE_DIGITS = 15;

function parseNumber(text: string): number {
  const failed = (why: string): Error =>
    new Error(`failed to parse int from ${shownText(text)}: strconv.Atoi: parsing ${quotedText(text)}: ${why}`);
  if (!/^[+-]?[0-9]+$/.test(text)) throw failed('invalid syntax');
  if (text.length <= SAFE_DIGITS && !text.startsWith('-')) return Number(text);
  const value = integerWithin(text, -MAX_INT - 1n, MAX_INT);
  if (value === undefined) throw failed('value out of range');
  if (value < 0n) throw new Error(`negative number (${value}) not allowed: ${text}`);
  return Number(value);
}

/**
 * Returns the first time after `afterMs` at which the zone's clocks show a time of the fields. An hour that they skip
 * does not exist, and an hour that they repeat comes twice.
 */
function nextTime(fields: Fields, afterMs: number, zone: TimeZone): number | undefined {
  let fromMs = (Math.floor(afterMs / SECOND_MS) + 1) * SECOND_MS;
  let offsetMs = zone.offsetMs(fromMs);
  const lastYear = new Date(fromMs + offsetMs).getUTCFullYear() + YEARS;
  for (;;) {
    const shownMs = nextShown(fields, fromMs + offsetMs, lastYear);
    const endMs = shownMs === undefined ? Date.UTC(lastYear, 11, 31) : shownMs - offsetMs;
    const changeMs = zone.nextChange(fromMs, endMs);
    if (changeMs === undefined) return shownMs === undefined ? undefined : endMs;
    fromMs = changeMs;
    offsetMs = zone.offsetMs(fromMs);
  }
}

/** Returns the first minute of the fields from a time on, on clocks that never change. */
function nextShown(fields: Fields, fromMs: number, lastYear: number): number | undefined {
  const firstMinute = Math.ceil(fromMs / MINUTE_MS);
  let day = Math.floor(firstMinute / MINUTES_PER_DAY);
  let minuteOfDay = firstMinute - day * MINUTES_PER_DAY;
  for (;;) {
    const date = new Date(day * DAY_MS);
    if (date.getUTCFullYear() > lastYear) return undefined;
    if (!fields.month.values.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1) / DAY_MS;
      minuteOfDay = 0;
      continue;
    }
    const found = isDay(fields, date) ? minuteFrom(fields, minuteOfDay) : undefined;
    if (found !== undefined) return day * DAY_MS + found * MINUTE_MS;
    day += 1;
    minuteOfDay = 0;
  }
}

/** Both day fields must match when one of them is a star, otherwise one of them. */
function isDay({ dayOfMonth, dayOfWeek }: Fields, date: Date): boolean {
  const inMonth = dayOfMonth.values.has(date.getUTCDate());
  const inWeek = dayOfWeek.values.has(date.getUTCDay());
  return dayOfMonth.star || dayOfWeek.star ? inMonth && inWeek : inMonth || inWeek;
}

/** Returns the first minute of a day, from `from` on, that the fields contain. */
function minuteFrom({ hour, minute }: Fields, from: number): number | undefined {
  let candidate = from;
  while (candidate < MINUTES_PER_DAY) {
    if (!hour.values.has(Math.floor(candidate / 60))) candidate = (Math.floor(candidate / 60) + 1) * 60;
    else if (minute.values.has(candidate % 60)) return candidate;
    else candidate += 1;
  }
  return undefined;
}
