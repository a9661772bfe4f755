import { expect, test } from 'vitest';
import { formatCheck } from '../../../src/machinery/schema/formats/formats.js';
import { wordedDurationNanos } from '../../../src/machinery/schema/formats/duration-format.js';

const long = (length: number): string => 'a'.repeat(length);

/** Texts that have a format, and texts that do not, as in Kubernetes 1.31. */
const cases: readonly (readonly [format: string, valid: readonly string[], invalid: readonly string[]])[] = [
  ['bsonobjectid', ['507f1f77bcf86cd799439011', '507F1F77BCF86CD799439011'], ['', '507f1f77bcf86cd79943901', 'zz']],
  [
    'creditcard',
    ['4111 1111 1111 1111', '4111-1111-1111-1111', '378282246310005', '5555555555554444', 'no 6011111111111117'],
    ['', '4111111111111112', '411111111111111', '1234567890123452'],
  ],
  ['isbn', ['0321751043', '978-0321751041', '0-8044-2957-X'], ['', '0321751044', '9780321751042', '0-8044-2957-x']],
  ['isbn10', ['0 321 75104 3'], ['978-0321751041']],
  ['isbn13', ['978-0321751041'], ['0321751043']],
  ['ssn', ['111-22-3333', '111 22 3333'], ['111223333', '111-22-333', '111-22-33333', 'aaa-bb-cccc']],
  ['rgbcolor', ['rgb(255,255,255)', 'rgb( 0 ,\t1, 99 )'], ['rgb(256,0,0)', 'rgb(1,2)', 'rgb(01,0,0)', 'rgba(1,2,3)']],
  ['hexcolor', ['#fff', 'ABCDEF'], ['#ffff', 'xyz', '']],
  ['password', ['', 'anything'], []],
  [
    'duration',
    ['22 ns', '1 day', '1 week 2 hours', '3 Seconds', '5wk', '1.5h', '-1m', '0', 'about 2 hours or so', '7nanoseconds'],
    ['', '1', 'day', '1 month', '99999999999999999999 s', '1 ß'],
  ],
  [
    'hostname',
    ['a', 'localhost', 'a-', 'm-host', 'example.com', 'a.bc', '1.example.com', '\u{1f600}.com', 'bücher.example'],
    ['', '-a', 'my-host', 'a.b', 'example.c0m', 'a_b.com', '1.2.3.4', '-a.com', 'a-.com', `${long(64)}.com`, 'a..com'],
  ],
  ['uuid', ['01234567-89ab-cdef-0123-456789ABCDEF', '0123456789abcdef0123456789abcdef'], ['0123', 'x'.repeat(32)]],
  ['uuid3', ['01234567-89ab-3def-0123-456789abcdef'], ['01234567-89ab-4def-0123-456789abcdef']],
  ['uuid4', ['01234567-89ab-4def-8123-456789abcdef'], ['01234567-89ab-4def-0123-456789abcdef']],
  ['uuid5', ['01234567-89ab-5def-b123-456789abcdef'], ['01234567-89ab-4def-8123-456789abcdef']],
  [
    'mac',
    [
      '00:11:22:33:44:55',
      '00-11-22-33-44-55',
      '0011.2233.4455',
      '02:00:5e:10:00:00:00:01',
      '0200.5e10.0000.0001',
      Array.from({ length: 20 }, () => 'ff').join(':'),
    ],
    ['00:11:22:33:44', '00:11-22:33:44:55', '001122334455', '0:11:22:33:44:55', '00:11:22:33:44:55:66'],
  ],
  ['ipv4', ['1.2.3.4', '010.002.3.004', '::ffff:1.2.3.4'], ['', '1.2.3', '1.2.3.4.5', '1.2.3.256', '::1', '1.2.3.-4']],
  [
    'ipv6',
    ['::', 'fe80::1', '::ffff:1.2.3.4', '1:2:3:4:5:6:7:8'],
    ['1.2.3.4', '1::2::3', '00001::', '1:2:3:4:5:6:7::8:9', '::1%eth0', '::01.2.3.4'],
  ],
  [
    'cidr',
    ['10.0.0.0/8', '010.0.0.0/08', 'fe80::/10', '00001::/64'],
    ['10.0.0.0', '10.0.0.0/33', 'fe80::/129', '/8', '10.0.0.0/8/8', '10.0.0.0/+8'],
  ],
  [
    'email',
    [
      'a@b',
      'a.b+c@d.e',
      'Ann <a@b.c>',
      '"Ann Lee" <a@b.c>',
      '"a b"@c',
      '<a@b>',
      'a@b (comment (nested))',
      'Team: a@b;',
      'é@b.c',
    ],
    [
      '',
      'a',
      '@b',
      'a@',
      'a b@c',
      'a..b@c',
      '.a@b',
      'a@b.',
      'a@b, c@d',
      'Ann <a@b',
      'a@b (open',
      'Team:;',
      'Team: a@b, c@d;',
      'a@[1.2.3.4]',
      '""@b',
      'a@b >',
    ],
  ],
  ['byte', ['YQ==', 'YWE=', 'YWFh'], ['', 'YQ', 'YQ=', 'YQ==\n', 'Y-_=']],
  ['date', ['2024-02-29'], ['2023-02-29', '2024-2-9', '2024-02-29T00:00:00Z', '']],
  [
    'date-time',
    ['2024-01-01T00:00:00Z', '2024-01-01t23:59:59.5z', '2024-01-01T00:00:00+99:99', '2024-01-01T00:00:00ZTx'],
    ['', '2024-01-01', '2024-01-01T24:00:00Z', '2024-01-01T00:00:60Z', '2024-01-01T00:00:00', '2023-02-29T00:00:00Z'],
  ],
  ['uri', ['http://x/y', '/path', 'urn:x'], ['', 'x y', 'relative', '#a']],
];

test.each(cases)('%s', (format, valid, invalid) => {
  const check = formatCheck(format);
  expect(valid.filter((text) => check?.(text) !== true)).toEqual([]);
  expect(invalid.filter((text) => check?.(text) !== false)).toEqual([]);
});

test('hyphens in the name of a format do not matter', () => {
  for (const name of ['datetime', 'date-time', 'd-a-t-e-time']) expect(formatCheck(name)?.('x')).toBe(false);
});

test.each([
  'int32',
  'int64',
  'float',
  'double',
  'quantity',
  'micro-time',
  'k8s-short-name',
  'ip',
  '__proto__',
  'unknown',
])('%s is not checked', (format) => {
  expect(formatCheck(format)).toBeUndefined();
});

test('a duration in words has the sum of its amounts', () => {
  expect(wordedDurationNanos('1 day 2 hours, 3 ns')).toBe((86_400n + 7_200n) * 1_000_000_000n + 3n);
});
