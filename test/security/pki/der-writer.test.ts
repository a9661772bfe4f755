import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DerTag } from '../../../src/foundation/der/der.js';
import type { DerReader } from '../../../src/foundation/der/der-reader.js';
import { derBitString, derInteger, derValue } from '../../../src/foundation/der/der-writer.js';
import { derReader } from '../../../src/security/pki/asn1/der.js';
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

  test('bit strings', () => {
    expect(whole(derBitString(Uint8Array.of(0xa0)), (reader) => reader.bitString('none'))).toEqual({
      bytes: Uint8Array.of(0xa0),
      unusedBits: 0,
    });
  });
});
