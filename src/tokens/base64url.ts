/**
 * Base64url without padding (RFC 4648 section 5), read strictly.
 *
 * @module
 */
import { hostBytes } from '../meta/host-crypto.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Characters that are spread at once: more arguments than that are not sure to fit on the stack. */
const CHUNK = 4096;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const VALUE_COUNT = ALPHABET.length;
const NO_VALUE = 0xff;
/** What each character stands for. */
const VALUES = new Uint8Array(0x80).fill(NO_VALUE);
for (let value = 0; value < VALUE_COUNT; value += 1) VALUES[ALPHABET.charCodeAt(value)] = value;

/** Bytes as base64url without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += CHUNK)
    binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  return encodeBinary(binary);
}

/** A text, as UTF-8, as base64url without padding. */
export function encodeBase64UrlText(text: string): string {
  return isAscii(text) ? encodeBinary(text) : encodeBase64Url(encoder.encode(text));
}

/** The bytes of a base64url text without padding; undefined when it is none. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  if (text.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(decodedLength(text));
  let bits = 0;
  let seen = 0;
  let at = 0;
  for (let index = 0; index < text.length; index += 1) {
    const value = VALUES[text.charCodeAt(index)] ?? NO_VALUE;
    seen |= value;
    bits = (bits << 6) | value;
    // Of four characters, three end a byte: all but the first.
    if ((index & 3) !== 0) {
      bytes[at] = bits >> (6 - 2 * (index & 3));
      at += 1;
    }
  }
  return seen >= VALUE_COUNT ? undefined : bytes;
}

/**
 * {@link decodeBase64Url}, several times as fast where the host has a way of its own. The bytes are to be read and let go: they
 * may lie in memory that others use, too.
 */
export function viewBase64Url(text: string): Uint8Array | undefined {
  const host = hostBytes();
  if (host === undefined || text.length % 4 === 1) return decodeBase64Url(text);
  const bytes = host.from(text, 'base64url');
  // The host is not strict: it leaves out what it cannot read, and reads base64 as well.
  return bytes.length === decodedLength(text) && !text.includes('+') && !text.includes('/') ? bytes : undefined;
}

/** The text that is in a base64url text as UTF-8; undefined when it is no base64url or no UTF-8. */
export function decodeBase64UrlText(text: string): string | undefined {
  const bytes = viewBase64Url(text);
  if (bytes === undefined) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const decodedLength = (text: string): number => (text.length * 3) >> 2;

/** True when the characters of the text are its bytes. */
function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function encodeBinary(binary: string): string {
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
