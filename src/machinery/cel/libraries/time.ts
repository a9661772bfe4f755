/**
 * Parts of timestamps and durations. The parts of a timestamp are in UTC, or in a time zone given by name
 * (`Europe/Berlin`) or offset (`-02:30`).
 *
 * @module
 */
import type { Meter } from '../cost/meter.js';
import { failure } from '../evaluate/failures.js';
import type { CelTimestamp } from '../evaluate/time-values.js';
import { declare, method, type CelResult, type FunctionDeclaration } from '../types/declarations.js';
import { durationType, intType, stringType, timestampType } from '../types/types.js';

const DAY_MS = 86_400_000;

/** Returns a part of a date, whose UTC parts are those of the requested zone. */
type Part = (date: Date) => number;

/** Returns the day of the year. `Date.UTC` would map the years 0 to 99 to 1900 to 1999. */
const dayOfYear: Part = (date) => {
  const start = new Date(0).setUTCFullYear(date.getUTCFullYear(), 0, 1);
  return Math.floor((date.getTime() - start) / DAY_MS);
};

const timestampParts: Readonly<Record<string, Part>> = {
  getFullYear: (date) => date.getUTCFullYear(),
  getMonth: (date) => date.getUTCMonth(),
  getDayOfYear: dayOfYear,
  getDayOfMonth: (date) => date.getUTCDate() - 1,
  getDate: (date) => date.getUTCDate(),
  getDayOfWeek: (date) => date.getUTCDay(),
  getHours: (date) => date.getUTCHours(),
  getMinutes: (date) => date.getUTCMinutes(),
  getSeconds: (date) => date.getUTCSeconds(),
  getMilliseconds: (date) => date.getUTCMilliseconds(),
};

const dateOf = (timestamp: CelTimestamp): Date =>
  new Date(Number(timestamp.seconds) * 1000 + Math.floor(timestamp.fraction / 1e6));

const OFFSET = /^([-+]?)(\d{2}):(\d{2})$/;
const formatters = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATTERS = 64;
/** Length of the longest name of a zone, with room: the engine takes long to refuse a long text. */
const MAX_ZONE_LENGTH = 128;
/** Work of finding the date in a zone. Many zones in turn are not known, and then it takes longer: it may pause at each. */
const ZONE_WORK = 2048;

/** Returns the date shifted so that its UTC parts are those of the zone; undefined for an unknown zone. */
function inZone(date: Date, zone: string): Date | undefined {
  const offset = OFFSET.exec(zone);
  if (offset !== null) {
    const minutes = Number(offset[2]) * 60 + Number(offset[3]);
    return new Date(date.getTime() + (offset[1] === '-' ? -minutes : minutes) * 60_000);
  }
  if (zone === '' || zone === 'UTC') return date;
  const formatter = formatterOf(zone);
  if (formatter === undefined) return undefined;
  const parts = Object.fromEntries(formatter.formatToParts(date).map(({ type, value }) => [type, Number(value)]));
  const shifted = new Date(0);
  shifted.setUTCFullYear(parts['year'] ?? 0, (parts['month'] ?? 1) - 1, parts['day'] ?? 1);
  shifted.setUTCHours(parts['hour'] ?? 0, parts['minute'] ?? 0, parts['second'] ?? 0, date.getUTCMilliseconds());
  return shifted;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat | undefined {
  if (timeZone.length > MAX_ZONE_LENGTH) return undefined;
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  try {
    const numeric = {
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    } as const;
    const formatter = new Intl.DateTimeFormat('en-US', { ...numeric, timeZone, hourCycle: 'h23', calendar: 'iso8601' });
    if (formatters.size >= MAX_FORMATTERS) formatters.clear();
    formatters.set(timeZone, formatter);
    return formatter;
  } catch {
    return undefined;
  }
}

const durationParts: Readonly<Record<string, bigint>> = {
  getHours: 3_600_000_000_000n,
  getMinutes: 60_000_000_000n,
  getSeconds: 1_000_000_000n,
  getMilliseconds: 1_000_000n,
};

/** The accessors of timestamps and durations. */
export const timeFunctions: readonly FunctionDeclaration[] = Object.entries(timestampParts).map(([name, part]) => {
  const unit = durationParts[name];
  const inNamedZone = (timestamp: CelTimestamp, zone: string, meter: Meter): CelResult => {
    meter.work(ZONE_WORK);
    const date = inZone(dateOf(timestamp), zone);
    return date === undefined ? failure(`unknown time zone ${zone}`) : BigInt(part(date));
  };
  return declare(
    name,
    method(`timestamp_${name}`, [timestampType], intType, ([timestamp]) => BigInt(part(dateOf(timestamp)))),
    method(`timestamp_${name}_with_tz`, [timestampType, stringType], intType, ([timestamp, zone], { meter }) =>
      inNamedZone(timestamp, zone, meter),
    ),
    ...(unit === undefined
      ? []
      : [method(`duration_${name}`, [durationType], intType, ([duration]) => duration.nanos / unit)]),
  );
});
