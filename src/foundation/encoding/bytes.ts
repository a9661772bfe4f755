/**
 * Comparison and concatenation of byte strings, and their Latin-1 text.
 *
 * @module
 */

import { hostBytes } from './host-bytes.js';

/** Returns true when two byte strings are equal. Not for secrets: the time depends on where they differ. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

/** Compares byte strings in lexicographic order. Returns less than zero when `a` comes first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Returns the concatenation of byte strings, in unshared memory. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Engines limit the number of arguments of a call. */
const CHUNK = 8192;

/** Decodes Latin-1: every byte becomes the character with that code. Also serves as a key of maps. */
export function latin1(bytes: Uint8Array): string {
  const host = hostBytes()?.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (host !== undefined) return host.toString('latin1');
  let text = '';
  // Spreading the bytes as arguments goes through an iterator, which takes four times as long.
  for (let from = 0; from < bytes.length; from += CHUNK)
    text += String(Reflect.apply(String.fromCharCode, undefined, bytes.subarray(from, from + CHUNK)));
  return text;
}

/** Encodes Latin-1: every character becomes the byte with its code. Codes above 255 lose their high bits. */
export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  latin1Writer(bytes)(text, 0);
  return bytes;
}

/**
 * Returns a function that encodes texts as {@link latin1Bytes} does into existing bytes from an offset, where there must
 * be room. Made once, it saves a view for each text.
 */
export function latin1Writer(bytes: Uint8Array): (text: string, offset: number) => void {
  const host = hostBytes()?.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (host?.latin1Write !== undefined) return (text, offset) => void host.latin1Write?.(text, offset);
  if (host !== undefined) return (text, offset) => void host.write(text, offset, text.length, 'latin1');
  return (text, offset) => {
    for (let index = 0; index < text.length; index += 1) bytes[offset + index] = text.charCodeAt(index);
  };
}

/** Returns bytes in memory of their own, whose content is not defined: clearing it takes as long as filling it. */
export function uninitializedBytes(length: number): Uint8Array {
  return hostBytes()?.allocUnsafeSlow(length) ?? new Uint8Array(length);
}
