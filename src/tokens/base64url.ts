/**
 * Base64url without padding (RFC 4648 section 5), read strictly.
 *
 * @module
 */

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Characters that are spread at once: more arguments than that are not sure to fit on the stack. */
const CHUNK = 4096;

/** Bytes as base64url without padding. */
export function encodeBase64Url(bytes: Uint8Array): string {
  let binary = '';
  for (let start = 0; start < bytes.length; start += CHUNK) binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  return encodeBinary(binary);
}

/** A text, as UTF-8, as base64url without padding. */
export function encodeBase64UrlText(text: string): string {
  return isAscii(text) ? encodeBinary(text) : encodeBase64Url(encoder.encode(text));
}

/** The bytes of a base64url text without padding; undefined when it is none. */
export function decodeBase64Url(text: string): Uint8Array | undefined {
  const binary = decodeBinary(text);
  if (binary === undefined) return undefined;
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** The text that is in a base64url text as UTF-8; undefined when it is no base64url or no UTF-8. */
export function decodeBase64UrlText(text: string): string | undefined {
  const binary = decodeBinary(text);
  if (binary === undefined || isAscii(binary)) return binary;
  try {
    return decoder.decode(Uint8Array.from(binary, (character) => character.charCodeAt(0)));
  } catch {
    return undefined;
  }
}

/** True when the characters of the text are its bytes. */
function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function encodeBinary(binary: string): string {
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

function decodeBinary(text: string): string | undefined {
  if (!/^[-_A-Za-z0-9]*$/.test(text) || text.length % 4 === 1) return undefined;
  return atob(text.replaceAll('-', '+').replaceAll('_', '/'));
}
