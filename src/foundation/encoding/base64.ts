/**
 * Base64 (RFC 4648 section 4). Base64url is in `base64url.ts`.
 *
 * Two readers differ in strictness: {@link decodeBase64} is as forgiving as the web platform, {@link canonicalBase64}
 * is as strict as Go's `base64.StdEncoding` and returns the offset of an error.
 *
 * @module
 */
import { digitValues, NOT_A_DIGIT } from './base64-digits.js';
import { latin1, latin1Bytes } from './bytes.js';
import { hostBytes } from './host-bytes.js';
import { decodeUtf8Lossy, isAscii, utf8Length, viewUtf8 } from './utf8.js';

/** Encodes bytes as base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  const host = hostBytes();
  return host === undefined
    ? btoa(latin1(bytes))
    : host.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** Encodes the UTF-8 of a text as base64 with padding. */
export function encodeBase64Text(text: string): string {
  return isAscii(text) ? btoa(text) : encodeBase64(viewUtf8(text));
}

/**
 * Decodes base64 like the web platform (WHATWG Infra, "forgiving-base64 decode"): ASCII white space is skipped, padding
 * may be missing, and the spare bits of the last character are ignored.
 *
 * @returns undefined for text that is not base64
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const host = text.length % 4 === 0 ? hostBytes()?.from(text, 'base64') : undefined;
  if (host !== undefined && isWhole(host.length, text)) return new Uint8Array(host);
  const decoded = decodeBase64Latin1(text);
  return decoded === undefined ? undefined : latin1Bytes(decoded);
}

/** Like {@link decodeBase64}, but returns the bytes as Latin-1 text: every byte becomes the character with that code. */
export function decodeBase64Latin1(text: string): string | undefined {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
}

/** Returns true when the host decoded every character. It skips invalid characters, and also reads base64url. */
function isWhole(decodedLength: number, text: string): boolean {
  const pads = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return decodedLength === (text.length / 4) * 3 - pads && !text.includes('-') && !text.includes('_');
}

/**
 * Decodes base64 of UTF-8 text, both forgivingly: invalid UTF-8 becomes U+FFFD. Undefined for text that is not base64.
 */
export function decodeBase64Text(text: string): string | undefined {
  const bytes = decodeBase64(text);
  return bytes && decodeUtf8Lossy(bytes);
}

/** Returns the number of bytes in base64, without decoding it. */
export function decodedBase64Length(text: string): number {
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === PAD) length -= 1;
  return Math.floor((length * 3) / 4);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PAD = 0x3d;
const VALUES = digitValues(ALPHABET);

const valueOf = (code: number): number => (code < 128 ? (VALUES[code] as number) : NOT_A_DIGIT);

/**
 * Returns the canonical form of base64 that Go's `base64.StdEncoding` accepts: padding is required, line breaks are
 * skipped, and spare bits are cleared.
 *
 * @returns the canonical text, or the offset of the first illegal byte in the UTF-8 of the text, which Go's error shows
 */
export function canonicalBase64(text: string): string | number {
  return isCanonical(text) ? text : canonicalize(text);
}

/**
 * Decodes base64 that Go's `base64.StdEncoding` accepts.
 *
 * @returns the bytes, or the offset of the first illegal byte in the UTF-8 of the text, which Go's error shows
 */
export function decodeGoBase64(text: string): Uint8Array | number {
  const plain = text.includes('\n') || text.includes('\r') ? text.replace(LINE_BREAKS, '') : text;
  // The host decodes a long text many times faster than it can be checked character by character.
  const host = plain.length % 4 === 0 ? hostBytes()?.from(plain, 'base64') : undefined;
  if (host !== undefined && isWhole(host.length, plain)) return host;
  const canonical = canonicalBase64(text);
  return typeof canonical === 'number' ? canonical : (decodeBase64(canonical) ?? new Uint8Array());
}

const LINE_BREAKS = /[\r\n]+/g;

/** Returns the unused bits in the last character before the padding. */
function spareBits(text: string): number {
  const length = text.length;
  if (length === 0 || text.charCodeAt(length - 1) !== PAD) return 0;
  return text.charCodeAt(length - 2) === PAD
    ? valueOf(text.charCodeAt(length - 3)) & 0x0f
    : valueOf(text.charCodeAt(length - 2)) & 0x03;
}

function isCanonical(text: string): boolean {
  const length = text.length;
  if (length % 4 !== 0) return false;
  let end = length;
  if (length > 0 && text.charCodeAt(length - 1) === PAD)
    end = text.charCodeAt(length - 2) === PAD ? length - 2 : length - 1;
  for (let index = 0; index < end; index += 1) if (valueOf(text.charCodeAt(index)) === NOT_A_DIGIT) return false;
  return spareBits(text) === 0;
}

function canonicalize(text: string): string | number {
  let digits = '';
  let index = 0;
  for (;;) {
    let have = 0;
    let last = 0;
    for (; have < 4; have += 1) {
      index = nextIndex(text, index);
      if (index === text.length) return have === 0 ? digits : byteOffset(text, index - have);
      const code = text.charCodeAt(index);
      if (code === PAD) {
        const wrong = wrongPadding(text, index, have);
        if (wrong !== undefined) return byteOffset(text, wrong);
        const kept = ALPHABET[last & (have === 2 ? 0x30 : 0x3c)] as string;
        return digits.slice(0, -1) + kept + '='.repeat(4 - have);
      }
      last = valueOf(code);
      if (last === NOT_A_DIGIT) return byteOffset(text, index);
      digits += text[index] as string;
      index += 1;
    }
  }
}

/**
 * Returns the index of an error in the padding that starts at `index`, after `have` characters of its group; undefined
 * when the padding is valid and ends the text.
 */
function wrongPadding(text: string, index: number, have: number): number | undefined {
  if (have < 2) return index;
  let next = nextIndex(text, index + 1);
  if (have === 2) {
    if (next === text.length) return next;
    if (text.charCodeAt(next) !== PAD) return next - 1;
    next = nextIndex(text, next + 1);
  }
  return next < text.length ? next : undefined;
}

const isLineBreak = (code: number): boolean => code === 0x0a || code === 0x0d;

function nextIndex(text: string, index: number): number {
  while (index < text.length && isLineBreak(text.charCodeAt(index))) index += 1;
  return index;
}

/** Go counts bytes, not characters. */
const byteOffset = (text: string, index: number): number => utf8Length(text.slice(0, index));
