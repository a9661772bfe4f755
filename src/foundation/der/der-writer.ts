/**
 * Writes DER (X.690 section 10): the counterpart of the reader. Every value has one encoding, so equal values have
 * equal bytes.
 *
 * @module
 */
import { concatBytes } from '../encoding/bytes.js';
import { DerTag } from './der.js';

/** Bytes in unshared memory, as WebCrypto requires. */
export type Der = Uint8Array<ArrayBuffer>;

/** Encodes a value. @param tag its identifier octet @param contents the parts of the content, in order */
export function derValue(tag: number, ...contents: readonly Uint8Array[]): Der {
  const length = contents.reduce((sum, content) => sum + content.length, 0);
  return concatBytes([Uint8Array.of(tag, ...lengthOctets(length)), ...contents]);
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets = numberOctets(length);
  return [0x80 | octets.length, ...octets];
}

/** Returns the octets of a non-negative number, the highest first; at least one. */
function numberOctets(number: number): number[] {
  const octets = [number % 256];
  for (let left = Math.floor(number / 256); left > 0; left = Math.floor(left / 256)) octets.unshift(left % 256);
  return octets;
}

/** Encodes a SEQUENCE of values. */
export function derSequence(...items: readonly Uint8Array[]): Der {
  return derValue(DerTag.sequence, ...items);
}

/** Encodes a non-negative INTEGER. @param value a number up to 2^53-1, or its octets, the highest first */
export function derInteger(value: number | Uint8Array): Der {
  const octets = typeof value === 'number' ? Uint8Array.from(numberOctets(value)) : value;
  let from = 0;
  while (from < octets.length - 1 && octets[from] === 0) from += 1;
  const digits = octets.subarray(from);
  // A leading one bit would make the number negative.
  return (digits[0] ?? 0x80) < 0x80
    ? derValue(DerTag.integer, digits)
    : derValue(DerTag.integer, new Uint8Array(1), digits);
}

/** Encodes a BIT STRING of whole octets. */
export function derBitString(bytes: Uint8Array): Der {
  return derValue(DerTag.bitString, new Uint8Array(1), bytes);
}

/** Encodes an OCTET STRING. */
export function derOctetString(bytes: Uint8Array): Der {
  return derValue(DerTag.octetString, bytes);
}
