import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { humanDuration } from '../../src/foundation/time/human-duration.js';
import {
  canonicalMicroTime,
  canonicalTime,
  formatMicroseconds,
  formatMicroTime,
  formatTime,
  parseMicroTime,
  parseTime,
} from '../../src/foundation/time/time.js';

const FIRST = -62_167_219_200_000;
const LAST = 253_402_300_799_999;

describe('times with seconds', () => {
  test.each([
    [0, '1970-01-01T00:00:00Z'],
    [999, '1970-01-01T00:00:00Z'],
    [-1, '1969-12-31T23:59:59Z'],
    [1_709_210_096_789, '2024-02-29T12:34:56Z'],
    [FIRST, '0000-01-01T00:00:00Z'],
    [LAST, '9999-12-31T23:59:59Z'],
  ])('formatTime(%d)', (ms, text) => {
    expect(formatTime(ms)).toBe(text);
    expect(formatTime(ms)).toBe(text);
  });

  test.each([FIRST - 1, LAST + 1, Number.NaN, Infinity])('formatTime(%d) is out of range', (ms) => {
    expect(() => formatTime(ms)).toThrow(RangeError);
    expect(formatTime(0)).toBe('1970-01-01T00:00:00Z');
  });

  test.each([
    ['2024-02-29T12:34:56Z', 1_709_210_096_000],
    ['2024-02-29T12:34:56.7899Z', 1_709_210_096_789],
    ['2024-02-29T12:34:56.7Z', 1_709_210_096_700],
    ['2024-02-29T14:34:56+02:00', 1_709_210_096_000],
    ['2024-02-29T07:04:56-05:30', 1_709_210_096_000],
    ['1969-12-31T23:59:59.5Z', -500],
    ['0001-01-01T00:00:00Z', -62_135_596_800_000],
  ])('parseTime(%s)', (text, ms) => {
    expect(parseTime(text)).toBe(ms);
  });

  test.each([
    '',
    '2024-02-29',
    '2024-02-29T12:34:56',
    '2024-02-29t12:34:56Z',
    '2024-02-29T12:34:56z',
    '2024-02-29 12:34:56Z',
    '2023-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-00-01T00:00:00Z',
    '2024-04-31T00:00:00Z',
    '2024-01-00T00:00:00Z',
    '2024-01-01T24:00:00Z',
    '2024-01-01T00:60:00Z',
    '2024-01-01T00:00:60Z',
    '2024-01-01T00:00:00.Z',
    '2024-01-01T00:00:00,5Z',
    '2024-01-01T00:00:00+24:00',
    '2024-01-01T00:00:00+00:60',
    '2024-01-01T00:00:00+0000',
    '2024-01-01T00:00:00ZZ',
    '2024-1-01T00:00:00Z0',
    '0000-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '2024-01-01T5:00:00Z0',
  ])('parseTime rejects %j', (text) => {
    expect(parseTime(text)).toBeUndefined();
    expect(canonicalTime(text)).toBeUndefined();
  });

  test('canonicalTime converts a time to UTC and truncates the fraction', () => {
    expect(canonicalTime('2024-03-01T00:30:00.999+01:00')).toBe('2024-02-29T23:30:00Z');
    expect(canonicalTime('1969-12-31T23:59:59.5Z')).toBe('1969-12-31T23:59:59Z');
  });

  test('parsing and formatting agree with the host for every time', () => {
    fc.assert(
      fc.property(fc.integer({ min: FIRST, max: LAST }), (ms) => {
        const iso = new Date(ms).toISOString();
        expect(parseTime(iso)).toBe(ms);
        expect(formatTime(ms)).toBe(`${iso.slice(0, 19)}Z`);
      }),
    );
  });
});

describe('times with microseconds', () => {
  test('exactly six digits are parsed, and kept', () => {
    expect(canonicalMicroTime('2024-02-29T14:34:56.123456+02:00')).toBe('2024-02-29T12:34:56.123456Z');
    expect(parseMicroTime('1970-01-01T00:00:00.000001Z')).toBe(1n);
    expect(parseMicroTime('1969-12-31T23:59:59.999999Z')).toBe(-1n);
    for (const text of ['2024-02-29T12:34:56Z', '2024-02-29T12:34:56.123Z', '2024-02-29T12:34:56.1234567Z']) {
      expect(canonicalMicroTime(text)).toBeUndefined();
    }
  });

  test('formatMicroTime takes milliseconds', () => {
    expect(formatMicroTime(1_709_210_096_789)).toBe('2024-02-29T12:34:56.789000Z');
    expect(formatMicroTime(-1)).toBe('1969-12-31T23:59:59.999000Z');
    expect(() => formatMicroTime(LAST + 1)).toThrow(RangeError);
  });

  test('formatting and parsing are inverse', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: BigInt(FIRST) * 1000n, max: BigInt(LAST) * 1000n }), (micros) => {
        expect(parseMicroTime(formatMicroseconds(micros))).toBe(micros);
      }),
    );
  });
});

describe('humanDuration', () => {
  const S = 1000;
  const M = 60 * S;
  const H = 60 * M;
  const D = 24 * H;
  test.each([
    [-3 * S, '<invalid>'],
    [-2 * S, '<invalid>'],
    [-1999, '0s'],
    [-1, '0s'],
    [0, '0s'],
    [999, '0s'],
    [119 * S, '119s'],
    [2 * M, '2m'],
    [5 * M + 3 * S, '5m3s'],
    [10 * M + 59 * S, '10m'],
    [179 * M, '179m'],
    [3 * H, '3h'],
    [3 * H + 12 * M, '3h12m'],
    [7 * H + 59 * M, '7h59m'],
    [8 * H + 59 * M, '8h'],
    [47 * H + 59 * M, '47h'],
    [2 * D, '2d'],
    [2 * D + 5 * H, '2d5h'],
    [8 * D + 5 * H, '8d'],
    [12 * D, '12d'],
    [729 * D, '729d'],
    [2 * 365 * D, '2y'],
    [(2 * 365 + 34) * D, '2y34d'],
    [(8 * 365 + 34) * D, '8y'],
    [100 * 365 * D, '100y'],
    [Number.NaN, '<invalid>'],
  ])('%d ms', (ms, text) => {
    expect(humanDuration(ms)).toBe(text);
  });
});
