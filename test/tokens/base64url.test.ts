import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeBase64Url,
  decodeBase64UrlText,
  encodeBase64Url,
  encodeBase64UrlText,
  viewBase64Url,
} from '../../src/tokens/base64url.js';

describe('base64url', () => {
  it('is what the host makes of bytes, both ways', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64url');
        expect(encodeBase64Url(bytes)).toBe(text);
        expect(decodeBase64Url(text)).toEqual(bytes);
        expect(Uint8Array.from(viewBase64Url(text) ?? [])).toEqual(bytes);
      }),
    );
  });

  it('is what the host makes of texts, both ways', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (text) => {
        const encoded = Buffer.from(text, 'utf8').toString('base64url');
        expect(encodeBase64UrlText(text)).toBe(encoded);
        expect(decodeBase64UrlText(encoded)).toBe(text);
      }),
    );
  });

  it.each(['a', 'aaaaa', 'aa=', 'aa==', 'a+aa', 'a/aa', 'a aa', 'aa\n', 'aaa.', 'aaé', '€aaa'])(
    '%j is none',
    (text) => {
      expect(decodeBase64Url(text)).toBeUndefined();
      expect(viewBase64Url(text)).toBeUndefined();
    },
  );

  it('is read the same, whether the host helps or not', () => {
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

  it('is no text when the bytes are no UTF-8', () => {
    expect(decodeBase64UrlText(encodeBase64Url(new Uint8Array([0xc3, 0x28])))).toBeUndefined();
  });

  it('keeps a byte order mark: it is part of the text', () => {
    expect(decodeBase64UrlText(encodeBase64UrlText('\ufeff{}'))).toBe('\ufeff{}');
  });
});
