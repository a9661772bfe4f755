import { describe, expect, test } from 'vitest';
import { DerTag, readDerHeader } from '../../../src/foundation/der/der.js';
import { DerReader } from '../../../src/foundation/der/der-reader.js';
import {
  decodeBitString,
  decodeDerBoolean,
  decodeDerInteger,
  decodeObjectIdentifier,
  decodeSmallDerInteger,
  encodeObjectIdentifier,
} from '../../../src/foundation/der/der-values.js';
import { derInteger, derValue } from '../../../src/foundation/der/der-writer.js';
import { decodeHex, encodeHex } from '../../../src/foundation/encoding/hex.js';

const bytesOf = (hex: string): Uint8Array => decodeHex(hex) ?? new Uint8Array();
class Refused extends Error {}
const reader = (hex: string): DerReader => new DerReader(bytesOf(hex), (problem) => new Refused(problem));

describe('a header', () => {
  test.each<[hex: string, octet: number, number: number, length: number, start: number]>([
    ['0400', 0x04, 4, 0, 2],
    ['047f', 0x04, 4, 127, 2],
    ['048180', 0x04, 4, 128, 3],
    ['0481ff', 0x04, 4, 255, 3],
    ['04820100', 0x04, 4, 256, 4],
    ['0483010000', 0x04, 4, 65536, 5],
    ['04847fffffff', 0x04, 4, 0x7fffffff, 6],
    ['1f1f00', 0x1f, 31, 0, 3],
    ['bf8100' + '05', 0xbf, 128, 5, 4],
    ['1f87ffffff7f00', 0x1f, 0x7fffffff, 0, 7],
  ])('%s', (hex, octet, number, length, start) => {
    expect(readDerHeader(bytesOf(hex), 0)).toEqual({ octet, number, length, start });
    expect(readDerHeader(bytesOf(`ff${hex}`), 1)).toEqual({ octet, number, length, start: start + 1 });
  });

  test.each([
    ['', 'syntax error: sequence truncated'],
    ['04', 'syntax error: truncated tag or length'],
    ['0481', 'syntax error: truncated tag or length'],
    ['048201', 'syntax error: truncated tag or length'],
    ['0480', 'syntax error: indefinite length found (not DER)'],
    ['3080' + '0000', 'syntax error: indefinite length found (not DER)'],
    ['04817f', 'structure error: non-minimal length'],
    ['048200ff', 'structure error: superfluous leading zeros in length'],
    ['04848080000000', 'structure error: length too large'],
    ['1f', 'syntax error: truncated base 128 integer'],
    ['1f80', 'syntax error: integer is not minimally encoded'],
    ['1f1e00', 'syntax error: non-minimal tag'],
    ['1f888080800000', 'structure error: base 128 integer too large'],
    ['1f818080808000', 'structure error: base 128 integer too large'],
  ])('%s is rejected: %s', (hex, problem) => {
    expect(readDerHeader(bytesOf(hex), 0)).toBe(problem);
  });
});

describe('a reader', () => {
  test('reads one value after another, with the given error texts', () => {
    const values = reader('020105' + '0101ff' + '03020780' + '06032a0304' + '3003020107');
    expect(values.smallInteger('number')).toBe(5);
    expect(values.nextIs(DerTag.boolean)).toBe(true);
    expect(values.optionalBoolean('flag')).toBe(true);
    expect(values.optionalBoolean('flag')).toBe(false);
    expect(values.bitString('bits')).toEqual({ bytes: Uint8Array.of(0x80), unusedBits: 7 });
    expect(values.objectIdentifier('identifier')).toBe('1.2.3.4');
    expect(values.optional(DerTag.set, 'set')).toBeUndefined();
    expect(() => values.end('more')).toThrow(new Refused('more'));
    const inner = values.enterOnly(DerTag.sequence, 'sequence');
    expect(inner.rest('rest').map(({ raw }) => encodeHex(raw))).toEqual(['020107']);
    expect(values.done).toBe(true);
    expect(() => values.any('nothing left')).toThrow(new Refused('nothing left'));
  });

  test.each([
    ['another tag', '0401ff'],
    ['truncated content', '0202ff'],
    ['an indefinite length', '0280ff0000'],
    ['a padded length', '028101ff'],
    ['a padded number', '02020001'],
    ['no content', '0200'],
    ['a tag number above 30', '1f1f00'],
  ])('rejects %s', (_what, hex) => {
    expect(() => reader(hex).integer('not a number')).toThrow(new Refused('not a number'));
  });

  test('rejects trailing data after the only value', () => {
    expect(() => reader('0500' + '00').only(DerTag.null, 'more')).toThrow(new Refused('more'));
    expect(() => reader('1f1f00').any('high tag')).toThrow(new Refused('high tag'));
    expect(() => reader('010101').optionalBoolean('flag')).toThrow(new Refused('flag'));
  });
});

describe('contents', () => {
  test.each<[string, bigint | undefined]>([
    ['00', 0n],
    ['7f', 127n],
    ['0080', 128n],
    ['ff', -1n],
    ['80', -128n],
    ['ff7f', -129n],
    ['00ffffffffffffffff', 2n ** 64n - 1n],
    ['8000000000000000', -(2n ** 63n)],
    ['', undefined],
    ['007f', undefined],
    ['ff80', undefined],
    ['01'.repeat(65), undefined],
  ])('INTEGER %s', (hex, value) => {
    expect(decodeDerInteger(bytesOf(hex))).toBe(value);
    const isSmall = value !== undefined && value >= 0n && value < 2n ** 31n;
    expect(decodeSmallDerInteger(bytesOf(hex))).toBe(isSmall ? Number(value) : undefined);
  });

  test.each<[string, boolean | undefined]>([
    ['ff', true],
    ['00', false],
    ['01', undefined],
    ['', undefined],
    ['ffff', undefined],
  ])('BOOLEAN %s', (hex, value) => {
    expect(decodeDerBoolean(bytesOf(hex))).toBe(value);
  });

  test.each([
    ['', false],
    ['00', true],
    ['01', false],
    ['0780', true],
    ['0781', false],
    ['08ff', false],
  ])('BIT STRING %s is valid: %j', (hex, valid) => {
    expect(decodeBitString(bytesOf(hex)) !== undefined).toBe(valid);
  });

  test.each([
    ['00', '0.0'],
    ['4f', '1.39'],
    ['50', '2.0'],
    ['8837', '2.999'],
    ['2a864886f70d', '1.2.840.113549'],
    ['2a87ffffff7f', '1.2.2147483647'],
  ])('OBJECT IDENTIFIER %s is %s', (hex, dotted) => {
    expect(decodeObjectIdentifier(bytesOf(hex))).toBe(dotted);
    expect(encodeHex(encodeObjectIdentifier(dotted) ?? new Uint8Array())).toBe(hex);
  });

  test.each(['', '2a80', '2a8001', '2a8880808000', '80'])('%s is not an OBJECT IDENTIFIER', (hex) => {
    expect(decodeObjectIdentifier(bytesOf(hex))).toBeUndefined();
  });
});

test('written values have the shortest length', () => {
  expect(encodeHex(derValue(DerTag.octetString, new Uint8Array(128)).subarray(0, 3))).toBe('048180');
  expect(encodeHex(derInteger(0x80))).toBe('02020080');
  expect(encodeHex(derInteger(Uint8Array.of(0, 0, 1)))).toBe('020101');
});
