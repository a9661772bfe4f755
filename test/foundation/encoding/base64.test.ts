import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  canonicalBase64,
  decodeBase64,
  decodedBase64Length,
  encodeBase64,
  encodeBase64Text,
} from '../../../src/foundation/encoding/base64.js';
import {
  decodeBase64Url,
  decodeBase64UrlText,
  encodeBase64Url,
  encodeBase64UrlText,
  viewBase64Url,
} from '../../../src/foundation/encoding/base64url.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The result of a function with Node's Buffer, and without it. */
function onBothHosts<T>(run: () => T): readonly [T, T] {
  const withBuffer = run();
  vi.stubGlobal('Buffer', undefined);
  const without = run();
  vi.unstubAllGlobals();
  return [withBuffer, without];
}

/** The text of RFC 4648 section 10, with and without padding. */
const VECTORS = [
  ['', ''],
  ['f', 'Zg=='],
  ['fo', 'Zm8='],
  ['foo', 'Zm9v'],
  ['foob', 'Zm9vYg=='],
  ['fooba', 'Zm9vYmE='],
  ['foobar', 'Zm9vYmFy'],
  ['grün \u{1f600}', 'Z3LDvG4g8J+YgA=='],
] as const;

describe('base64', () => {
  test.each(VECTORS)('of %j', (text, encoded) => {
    const bytes = new TextEncoder().encode(text);
    expect(onBothHosts(() => encodeBase64(bytes))).toEqual([encoded, encoded]);
    expect(onBothHosts(() => encodeBase64Text(text))).toEqual([encoded, encoded]);
    expect(onBothHosts(() => decodeBase64(encoded))).toEqual([bytes, bytes]);
    expect(canonicalBase64(encoded)).toBe(encoded);
    expect(decodedBase64Length(encoded)).toBe(bytes.length);
  });

  test('of a part of a buffer encodes only that part', () => {
    const part = new Uint8Array([1, 2, 3, 4, 5]).subarray(1, 4);
    expect(onBothHosts(() => encodeBase64(part))).toEqual(['AgME', 'AgME']);
    expect(onBothHosts(() => encodeBase64Url(part))).toEqual(['AgME', 'AgME']);
  });

  test.each<[string, number[]]>([
    ['Zg', [0x66]],
    [' Zm\t9\nv\r\f', [0x66, 0x6f, 0x6f]],
    ['Zh==', [0x66]],
    ['Zm9=', [0x66, 0x6f]],
  ])('%j is decoded as the web platform does', (text, bytes) => {
    expect(onBothHosts(() => [...(decodeBase64(text) ?? [])])).toEqual([bytes, bytes]);
  });

  test.each([
    'Z',
    'Zg=',
    'Zg===',
    '=',
    '====',
    'Zg==Zg==',
    'Zm9v=',
    '_-8=',
    '-_-_',
    'Zm9v!',
    'Zm9\u00e9',
    'Zm\u000b9v',
  ])('%j is not base64', (text) => {
    expect(onBothHosts(() => decodeBase64(text))).toEqual([undefined, undefined]);
  });

  test('is decoded identically with and without a Buffer', () => {
    const almost = fc.string({ unit: fc.constantFrom(...'AZaz09+/-_== \n\u00e9\u20ac'), maxLength: 16 });
    fc.assert(
      fc.property(almost, (text) => {
        const [withBuffer, without] = onBothHosts(() => decodeBase64(text));
        expect(withBuffer).toEqual(without);
      }),
      { numRuns: 2000 },
    );
  });

  test('is not affected by changes to the decoded bytes', () => {
    const bytes = decodeBase64('AAAA');
    expect(bytes?.buffer.byteLength).toBe(3);
  });
});

describe('canonical base64', () => {
  test.each<[string, string]>([
    ['Zm9v\r\nYg==\n', 'Zm9vYg=='],
    ['Zm\n9v', 'Zm9v'],
    ['Zh==', 'Zg=='],
    ['Zm9=', 'Zm8='],
    ['Zg=\n=', 'Zg=='],
    ['\n', ''],
  ])('%j becomes %j', (text, canonical) => {
    expect(canonicalBase64(text)).toBe(canonical);
  });

  test.each<[string, number]>([
    ['not base64!', 3],
    ['YWJ', 0],
    ['Zm9vYg', 4],
    ['YQ==YQ==', 4],
    ['YQ=', 3],
    ['YQ=a', 2],
    ['=', 0],
    ['Y===', 1],
    ['Zm9v=', 4],
    ['Zm9v-_', 4],
    ['Zm9v \n', 4],
    ['\u00e9\u00e9', 0],
    ['Zm\n!', 3],
  ])('%j is illegal at byte %i', (text, offset) => {
    expect(canonicalBase64(text)).toBe(offset);
  });

  test('leaves its own output unchanged, and keeps the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(60), (bytes, at) => {
        const encoded = encodeBase64(bytes);
        expect(canonicalBase64(encoded)).toBe(encoded);
        expect(canonicalBase64(`${encoded.slice(0, at)}\r\n${encoded.slice(at)}`)).toBe(encoded);
      }),
    );
  });
});

describe('base64url', () => {
  test.each(VECTORS)('of %j', (text, padded) => {
    const encoded = padded.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    const bytes = new TextEncoder().encode(text);
    expect(onBothHosts(() => encodeBase64Url(bytes))).toEqual([encoded, encoded]);
    expect(onBothHosts(() => encodeBase64UrlText(text))).toEqual([encoded, encoded]);
    expect(decodeBase64Url(encoded)).toEqual(bytes);
    expect(onBothHosts(() => [...(viewBase64Url(encoded) ?? [])])).toEqual([[...bytes], [...bytes]]);
    expect(onBothHosts(() => decodeBase64UrlText(encoded))).toEqual([text, text]);
  });

  test('of all byte values decodes to the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const [text, without] = onBothHosts(() => encodeBase64Url(bytes));
        expect(without).toBe(text);
        expect(decodeBase64Url(text)).toEqual(bytes);
      }),
    );
  });

  test.each(['a', 'aaaaa', 'aa=', 'aa==', 'a+aa', 'a/aa', 'a aa', 'aa\n', 'aaa.', 'aa\u00e9', '\u20acaaa'])(
    '%j is not base64url',
    (text) => {
      expect(decodeBase64Url(text)).toBeUndefined();
      expect(onBothHosts(() => viewBase64Url(text))).toEqual([undefined, undefined]);
    },
  );

  test('is decoded identically by both decoders', () => {
    const almost = fc.string({ unit: fc.constantFrom(...'AZaz09-_+/= .\n\u00e9\u20ac'), maxLength: 12 });
    fc.assert(
      fc.property(almost, (text) => {
        expect(viewBase64Url(text) && [...(viewBase64Url(text) ?? [])]).toEqual(
          decodeBase64Url(text) && [...(decodeBase64Url(text) ?? [])],
        );
      }),
      { numRuns: 5000 },
    );
  });

  test('of bytes that are not UTF-8 is no text, and a byte order mark is part of one', () => {
    expect(decodeBase64UrlText(encodeBase64Url(Uint8Array.of(0xc3, 0x28)))).toBeUndefined();
    expect(decodeBase64UrlText(encodeBase64UrlText('\ufeff{}'))).toBe('\ufeff{}');
  });
});
