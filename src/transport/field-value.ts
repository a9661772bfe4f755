import { encodeUtf8 } from '../foundation/index.js';

/**
 * Encodes a header value with one character per byte. Characters beyond ASCII become their UTF-8 bytes. Control
 * characters become spaces, as in Go; in particular, line breaks must not start another field.
 */
export function toFieldValue(value: string): string {
  return isPrintable(value) ? value : toBytes(value);
}

function isPrintable(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

function toBytes(value: string): string {
  let bytes = '';
  for (const byte of encodeUtf8(value)) {
    bytes += (byte < 0x20 && byte !== 0x09) || byte === 0x7f ? ' ' : String.fromCharCode(byte);
  }
  return bytes;
}
