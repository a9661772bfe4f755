import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { compareBytes, equalBytes, latin1, latin1Bytes } from '../../../src/foundation/encoding/bytes.js';
import { decodeHex, encodeHex, hexNumber } from '../../../src/foundation/encoding/hex.js';
import {
  decodeUtf8,
  decodeUtf8Lossy,
  decodeValidUtf8,
  encodeUtf8,
  isAscii,
  utf8Length,
  viewUtf8,
} from '../../../src/foundation/encoding/utf8.js';

describe('UTF-8', () => {
  test.each([
    ['', ''],
    ['\0', '00'],
    ['é', 'c3a9'],
    ['€', 'e282ac'],
    ['\u{1f600}', 'f09f9880'],
    ['\ufeffa', 'efbbbf61'],
    ['\u{10ffff}', 'f48fbfbf'],
  ])('%j', (text, hex) => {
    const bytes = decodeHex(hex) ?? new Uint8Array();
    expect(encodeHex(encodeUtf8(text))).toBe(hex);
    expect(encodeHex(viewUtf8(text))).toBe(hex);
    expect([decodeUtf8(bytes), decodeUtf8Lossy(bytes), decodeValidUtf8(bytes)]).toEqual([text, text, text]);
    expect(utf8Length(text)).toBe(bytes.length);
  });

  test.each([
    ['an overlong slash', 'c0af', '\ufffd\ufffd', '\ufffd\ufffd'],
    ['an overlong slash of three bytes', 'e080af', '\ufffd\ufffd\ufffd', '\ufffd\ufffd\ufffd'],
    ['a surrogate', 'eda080', '\ufffd\ufffd\ufffd', '\ufffd\ufffd\ufffd'],
    ['a code point above U+10FFFF', 'f4908080', '\ufffd\ufffd\ufffd\ufffd', '\ufffd\ufffd\ufffd\ufffd'],
    ['a truncated character', '61e282', 'a\ufffd\ufffd', 'a\ufffd'],
    ['a lone continuation byte', '8061', '\ufffda', '\ufffda'],
  ])('%s is invalid', (_what, hex, asGo, asWeb) => {
    const bytes = decodeHex(hex) ?? new Uint8Array();
    expect(decodeValidUtf8(bytes)).toBeUndefined();
    expect(decodeUtf8(bytes)).toBe(asGo);
    expect(decodeUtf8Lossy(bytes)).toBe(asWeb);
  });

  test.each(['\ud800', 'a\udc00b', '\udc00\ud800', '\ud800\ud800\udc00'])(
    'a lone surrogate counts as U+FFFD: %j',
    (text) => {
      expect(utf8Length(text)).toBe(encodeUtf8(text).length);
    },
  );
});

describe.each(['a short text', 'a long text'])('%s', (which) => {
  const around = 'a'.repeat(which === 'a short text' ? 3 : 100);

  describe.each([true, false])('on a host with native conversions: %s', (isNative) => {
    beforeEach(() => {
      if (!isNative) vi.stubGlobal('Buffer', undefined);
    });
    afterEach(() => {
      vi.unstubAllGlobals();
    });

    test.each([
      ['', true],
      ['\0\x7f', true],
      ['\x80', false],
      ['é', false],
      ['漢', false],
      ['\u{1f600}', false],
      ['\ud800', false],
    ])('%j in it: ASCII is %s', (text, expected) => {
      const whole = around + text + around;
      expect(isAscii(whole)).toBe(expected);
      expect(utf8Length(whole)).toBe(new TextEncoder().encode(whole).length);
    });
  });
});

describe('hexadecimal', () => {
  test('encodes and decodes', () => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(encodeHex(all)).toBe(Buffer.from(all).toString('hex'));
    expect(decodeHex(encodeHex(all).toUpperCase())).toEqual(all);
    expect([hexNumber(10, 4), hexNumber(0x12345, 4)]).toEqual(['000a', '12345']);
  });

  test.each(['a', 'abc', 'gg', '0x', ' 00', '00\n'])('%j is rejected', (text) => {
    expect(decodeHex(text)).toBeUndefined();
  });
});

test('bytes are Latin-1, in any number', () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 251);
  expect(latin1(bytes)).toBe(Buffer.from(bytes).toString('latin1'));
  expect(latin1Bytes(latin1(bytes))).toEqual(bytes);
});

test('bytes are ordered', () => {
  const of = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);
  expect(compareBytes(of(1), of(1, 0))).toBeLessThan(0);
  expect(compareBytes(of(2), of(1, 9))).toBeGreaterThan(0);
  expect([
    compareBytes(of(), of()),
    equalBytes(of(), of()),
    equalBytes(of(1), of(2)),
    equalBytes(of(1), of(1, 1)),
  ]).toEqual([0, true, false, false]);
});
