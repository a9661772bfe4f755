import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DerTag } from '../../../src/foundation/der/der.js';
import type { DerReader } from '../../../src/foundation/der/der-reader.js';
import { derBitString, derInteger, derSequence, derSetOf, derValue } from '../../../src/foundation/der/der-writer.js';
import { derReader } from '../../../src/security/pki/asn1/der.js';
import { derObjectIdentifier, derText, derTime } from '../../../src/security/pki/asn1/der-writer.js';
import { X509Error } from '../../../src/security/pki/index.js';
import { parseValidity } from '../../../src/security/pki/validity.js';
import * as plain from './support/der-writer.js';

const read = (bytes: Uint8Array, tag: number): Uint8Array => derReader(bytes).only(tag, 'malformed').content;

/** The result of a method of the reader for one value. */
function whole<T>(bytes: Uint8Array, take: (reader: DerReader) => T): T {
  const reader = derReader(bytes);
  const value = take(reader);
  reader.end('more');
  return value;
}

describe('written values are read back', () => {
  test('values of every length', () => {
    for (const length of [0, 1, 0x7f, 0x80, 0xff, 0x100, 0xffff, 0x10000, 0x1000000])
      expect(read(derValue(DerTag.octetString, new Uint8Array(length)), DerTag.octetString)).toHaveLength(length);
  });

  test('numbers', () => {
    fc.assert(
      fc.property(fc.oneof(fc.maxSafeNat(), fc.uint8Array({ minLength: 1, maxLength: 30 })), (number) => {
        const value = typeof number === 'number' ? BigInt(number) : BigInt(`0x${Buffer.from(number).toString('hex')}`);
        expect(whole(derInteger(number), (reader) => reader.integer('no number'))).toBe(value);
        expect(derInteger(number)).toEqual(plain.integer(value));
      }),
    );
  });

  test('object identifiers', () => {
    const number = fc.integer({ min: 0, max: 0x7fffffff });
    const first = fc.oneof(
      fc.tuple(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 39 })),
      fc.tuple(fc.constant(2), fc.integer({ min: 0, max: 0x7fffffff - 80 })),
    );
    fc.assert(
      fc.property(first, fc.array(number, { maxLength: 8 }), (head, rest) => {
        const dotted = [...head, ...rest].join('.');
        expect(whole(derObjectIdentifier(dotted), (reader) => reader.objectIdentifier('none'))).toBe(dotted);
      }),
    );
  });

  test('times from the year 0 to 9999, to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 }), (ms) => {
        const { notBefore } = parseValidity(derReader(derSequence(derTime(ms), derTime(0)).subarray(2)));
        expect(notBefore).toBe(Math.floor(ms / 1000) * 1000);
      }),
    );
  });

  test('bit strings', () => {
    expect(whole(derBitString(Uint8Array.of(0xa0), 5), (reader) => reader.bitString('none'))).toEqual({
      bytes: Uint8Array.of(0xa0),
      unusedBits: 5,
    });
  });
});

describe('one value has one encoding', () => {
  test.each<[string, number]>([
    ['1949-12-31T23:59:59Z', DerTag.generalizedTime],
    ['1950-01-01T00:00:00Z', DerTag.utcTime],
    ['2049-12-31T23:59:59Z', DerTag.utcTime],
    ['2050-01-01T00:00:00Z', DerTag.generalizedTime],
  ])('%s', (text, tag) => {
    expect(derTime(Date.parse(text))[0]).toBe(tag);
  });

  test.each<[string, number]>([
    ['', DerTag.printableString],
    ["system:node:a (b) '+,-./=?", DerTag.printableString],
    ['a@b', DerTag.utf8String],
    ['*', DerTag.utf8String],
    ['a&b', DerTag.utf8String],
    ['a_b', DerTag.utf8String],
    ['jürgen', DerTag.utf8String],
    ['\u{1f600}', DerTag.utf8String],
    ['\n', DerTag.utf8String],
  ])('the string %j', (text, tag) => {
    expect(derText(text)).toEqual(plain.der(tag, Buffer.from(text)));
  });

  test('sets are sorted by their bytes', () => {
    const items = [plain.utf8('bb'), plain.utf8('b'), plain.utf8('a'), plain.utf8('aa')];
    expect(derSetOf(items)).toEqual(plain.set(plain.utf8('a'), plain.utf8('b'), plain.utf8('aa'), plain.utf8('bb')));
  });
});

test.each([
  '',
  '1',
  '1.',
  '.1',
  '1.40',
  '0.40',
  '3.1',
  '01.2',
  '1.02',
  '1.2.2147483648',
  '2.2147483648',
  '1.-2',
  '1.2a',
  'serverAuth',
  '1.2.99999999999',
])('%j is not an object identifier', (text) => {
  expect(() => derObjectIdentifier(text)).toThrow(X509Error);
});
