import { unitsOf } from '../support/units.js';
import { describe, expect, test } from 'vitest';
import { parseCronSchedule } from '../../src/foundation/time/cron-schedule.js';
import { TimeZone } from '../../src/foundation/time/time-zone.js';

const nextOf = (schedule: string, after: string, timeZone?: string): string | undefined => {
  const next = parseCronSchedule(schedule).next(Date.parse(after), timeZone);
  return next === undefined ? undefined : new Date(next).toISOString().replace('.000', '');
};

describe('the times of a schedule', () => {
  test.each([
    ['* * * * *', '2024-01-01T00:00:00Z', '2024-01-01T00:01:00Z'],
    ['* * * * *', '2024-01-01T00:00:59.999Z', '2024-01-01T00:01:00Z'],
    ['*/15 * * * *', '2024-01-01T00:46:00Z', '2024-01-01T01:00:00Z'],
    ['5/20 * * * *', '2024-01-01T00:26:00Z', '2024-01-01T00:45:00Z'],
    ['0-30/10 8-9 * * *', '2024-01-01T08:30:00Z', '2024-01-01T09:00:00Z'],
    ['0,30 * * * *', '2024-01-01T23:30:00Z', '2024-01-02T00:00:00Z'],
    ['0 0 31 * *', '2024-02-01T00:00:00Z', '2024-03-31T00:00:00Z'],
    ['0 0 29 feb *', '2024-03-01T00:00:00Z', '2028-02-29T00:00:00Z'],
    ['0 12 * * MON-fri', '2024-01-05T12:00:00Z', '2024-01-08T12:00:00Z'],
    ['0 0 13 * FRI', '2024-09-01T00:00:00Z', '2024-09-06T00:00:00Z'],
    ['0 0 13 * ?', '2024-09-01T00:00:00Z', '2024-09-13T00:00:00Z'],
    ['0 0 */2 * FRI', '2024-09-01T01:00:00Z', '2024-09-03T00:00:00Z'],
    ['@yearly', '2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z'],
    ['@monthly', '2024-01-01T00:00:00Z', '2024-02-01T00:00:00Z'],
    ['@weekly', '2024-01-01T00:00:00Z', '2024-01-07T00:00:00Z'],
    ['@midnight', '2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z'],
    ['@hourly', '2024-01-01T00:00:01Z', '2024-01-01T01:00:00Z'],
    ['@every 90s', '2024-01-01T00:00:00.5Z', '2024-01-01T00:01:30Z'],
    ['@every 1500ms', '2024-01-01T00:00:00Z', '2024-01-01T00:00:01Z'],
    ['@every 1ms', '2024-01-01T00:00:00Z', '2024-01-01T00:00:01Z'],
    ['TZ=Asia/Tokyo 0 9 * * *', '2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z'],
    ['CRON_TZ=UTC @daily', '2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z'],
  ])('%s after %s is %s', (schedule, after, next) => expect(nextOf(schedule, after)).toBe(next));

  test.each(['0 0 30 2 *', '0 0 * , *'])('%s has no time within five years', (schedule) =>
    expect(nextOf(schedule, '2024-01-01T00:00:00Z')).toBeUndefined(),
  );

  test.each([
    ['0 6 * * *', '2024-01-01T00:00:00Z', 'Europe/Berlin', '2024-01-01T05:00:00Z'],
    ['0 6 * * *', '2024-07-01T00:00:00Z', 'Europe/Berlin', '2024-07-01T04:00:00Z'],
    ['0 0 1 1 *', '2024-06-01T00:00:00Z', 'Asia/Kolkata', '2024-12-31T18:30:00Z'],
    // Clocks skip the hour from 2 to 3 on March 10.
    ['30 2 * * *', '2024-03-10T00:00:00Z', 'America/New_York', '2024-03-11T06:30:00Z'],
    ['30 3 * * *', '2024-03-10T00:00:00Z', 'America/New_York', '2024-03-10T07:30:00Z'],
    // They repeat the hour from 1 to 2 on November 3.
    ['30 1 * * *', '2024-11-03T00:00:00Z', 'America/New_York', '2024-11-03T05:30:00Z'],
    ['30 1 * * *', '2024-11-03T05:30:00Z', 'America/New_York', '2024-11-03T06:30:00Z'],
    ['30 1 * * *', '2024-11-03T06:30:00Z', 'America/New_York', '2024-11-04T06:30:00Z'],
    ['*/30 * * * *', '2024-11-03T05:30:00Z', 'America/New_York', '2024-11-03T06:00:00Z'],
    // Half an hour on Lord Howe Island.
    ['0 2 * * *', '2024-10-05T00:00:00Z', 'Australia/Lord_Howe', '2024-10-06T15:00:00Z'],
    ['0 0 29 2 *', '2024-03-01T00:00:00Z', 'Europe/Paris', '2028-02-28T23:00:00Z'],
  ])('%s after %s in %s is the wall time of that zone', (schedule, after, zone, next) =>
    expect(nextOf(schedule, after, zone)).toBe(next),
  );

  test('the time zone of the schedule wins over the given one', () => {
    expect(nextOf('TZ=UTC 0 6 * * *', '2024-01-01T00:00:00Z', 'Europe/Berlin')).toBe('2024-01-01T06:00:00Z');
  });

  test('one schedule can be asked for several time zones', () => {
    const schedule = parseCronSchedule('0 6 * * *');
    const after = Date.parse('2024-01-01T00:00:00Z');
    const hours = ['UTC', 'Europe/Berlin', 'UTC'].map(
      (zone) => ((schedule.next(after, zone) ?? 0) - after) / 3_600_000,
    );
    expect(hours).toEqual([6, 5, 6]);
  });
});

test('a long schedule costs less than a unit for each character: equal parts of a field are parsed once', async () => {
  const schedule = `${'0-59,'.repeat(3_000)}7 0 * * *`;
  const parse = (): unknown => parseCronSchedule(schedule);
  parse();
  expect((await unitsOf(parse)) / schedule.length).toBeLessThan(1);
});

test('a schedule has at most 16,384 characters', () => {
  const parts = (count: number): string => `${Array.from({ length: count }, (_, index) => `*/${1e6 + index}`).join()}`;
  expect(() => parseCronSchedule(`${parts(1_600)} * * * *`)).not.toThrow();
  expect(() => parseCronSchedule(`${parts(1_700)} * * * *`)).toThrow('must have at most 16384 characters');
});

describe('a schedule that cannot be parsed', () => {
  test.each([
    ['', 'empty spec string'],
    ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
    ['* * * * * *', 'expected exactly 5 fields, found 6: [* * * * * *]'],
    ['error schedule', 'expected exactly 5 fields, found 2: [error schedule]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['* * * * 7', 'end of range (7) above maximum (6): 7'],
    ['30-10 * * * *', 'beginning of range (30) beyond end of range (10): 30-10'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['*/2/3 * * * *', 'too many slashes: */2/3'],
    ['*/-5 * * * *', 'negative number (-5) not allowed: -5'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['-5 * * * *', 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    [
      '9223372036854775808 * * * *',
      'failed to parse int from 9223372036854775808: strconv.Atoi: parsing "9223372036854775808": value out of range',
    ],
    ['@fortnightly', 'unrecognized descriptor: @fortnightly'],
    ['@constructor', 'unrecognized descriptor: @constructor'],
    ['@every day', 'failed to parse duration @every day: time: invalid duration "day"'],
    ['TZ=Mars/Olympus * * * * *', 'provided bad location Mars/Olympus: unknown time zone Mars/Olympus'],
    ['TZ=UTC', 'expected exactly 5 fields, found 0: []'],
  ])('%j fails with %s', (schedule, message) => expect(() => parseCronSchedule(schedule)).toThrow(new Error(message)));
});

describe('the name of a time zone', () => {
  test.each([
    ['Mars/Olympus', 'unknown time zone Mars/Olympus'],
    ['europe/berlin', 'unknown time zone europe/berlin'],
    ['+01:00', 'unknown time zone +01:00'],
    ['../etc/passwd', 'time: invalid location name'],
    ['/etc/localtime', 'time: invalid location name'],
  ])('%s is refused', (name, message) => expect(() => new TimeZone(name)).toThrow(new Error(message)));
});
