/**
 * Decodes the contents of DER values (X.690 sections 8 and 11) strictly: a content that is not the distinguished
 * encoding of its value is invalid, and the result is undefined.
 *
 * @module
 */

/** Decodes a BOOLEAN: all bits are set, or none. */
export function decodeDerBoolean(content: Uint8Array): boolean | undefined {
  const [value] = content;
  return content.length === 1 && (value === 0 || value === 0xff) ? value === 0xff : undefined;
}

/** Maximum length of a decoded INTEGER, in octets. RSA keys have longer ones, but only their size matters here. */
const LONGEST_INTEGER = 64;

/** Decodes an INTEGER of at most 64 octets, in two's complement. */
export function decodeDerInteger(content: Uint8Array): bigint | undefined {
  if (!isDerInteger(content) || content.length > LONGEST_INTEGER) return undefined;
  let value = 0n;
  for (const octet of content) value = (value << 8n) | BigInt(octet);
  return (content[0] ?? 0) >= 0x80 ? value - (1n << BigInt(8 * content.length)) : value;
}

/** Decodes an INTEGER from 0 to 2^31-1. */
export function decodeSmallDerInteger(content: Uint8Array): number | undefined {
  const value = decodeDerInteger(content);
  return value === undefined || value < 0n || value > 0x7fffffffn ? undefined : Number(value);
}

/** Returns true when the content encodes an INTEGER of any size: no leading octet may only repeat the sign. */
export function isDerInteger(content: Uint8Array): boolean {
  const [first, second] = content;
  if (first === undefined) return false;
  if (second === undefined) return true;
  return !(first === 0 && second < 0x80) && !(first === 0xff && second >= 0x80);
}

/** The value of a BIT STRING. */
export interface BitString {
  readonly bytes: Uint8Array;
  /** Number of bits of the last octet that are not part of the value, from 0 to 7. */
  readonly unusedBits: number;
}

/** Decodes a BIT STRING. The unused bits of the last octet must be zero. */
export function decodeBitString(content: Uint8Array): BitString | undefined {
  const unusedBits = content[0];
  const bytes = content.subarray(1);
  const last = bytes.at(-1);
  if (unusedBits === undefined || unusedBits > 7) return undefined;
  if (last === undefined ? unusedBits !== 0 : (last & ((1 << unusedBits) - 1)) !== 0) return undefined;
  return { bytes, unusedBits };
}

/** Decodes an OBJECT IDENTIFIER to dotted notation. Its numbers are at most 2^31-1. */
export function decodeObjectIdentifier(content: Uint8Array): string | undefined {
  const numbers: number[] = [];
  let value = 0;
  let fresh = true;
  for (const octet of content) {
    // A number that starts with the octet 0x80 is padded.
    if ((fresh && octet === 0x80) || value > 0xffffff) return undefined;
    value = value * 128 + (octet & 0x7f);
    fresh = octet < 0x80;
    if (!fresh) continue;
    if (value > 0x7fffffff) return undefined;
    numbers.push(value);
    value = 0;
  }
  const [first, ...rest] = numbers;
  if (first === undefined || !fresh) return undefined;
  // The first number encodes two: 40 times the first, which is at most 2, plus the second.
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - 40 * root, ...rest].join('.');
}

const OBJECT_IDENTIFIER = /^[0-2](\.(0|[1-9]\d{0,9}))+$/;

/**
 * Encodes an OBJECT IDENTIFIER from dotted notation; undefined for text that {@link decodeObjectIdentifier} never
 * returns.
 */
export function encodeObjectIdentifier(dotted: string): Uint8Array | undefined {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const numbers = [40 * first + second, ...rest];
  // The roots 0 and 1 have forty numbers each, because the first two numbers are encoded as one.
  if (!OBJECT_IDENTIFIER.test(dotted) || (first < 2 && second >= 40) || numbers.some((number) => number > 0x7fffffff))
    return undefined;
  return Uint8Array.from(numbers.flatMap(septets));
}

/** Returns seven bits per octet, the highest first; every octet except the last has its first bit set. */
function septets(number: number): number[] {
  const octets = [number & 0x7f];
  for (let left = number >>> 7; left > 0; left >>>= 7) octets.unshift((left & 0x7f) | 0x80);
  return octets;
}
