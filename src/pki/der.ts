/**
 * DER, the distinguished encoding of ASN.1 (X.690 section 10), read strictly: one encoding for each value and no other.
 *
 * A certificate is signed as bytes. A reader that takes more than one encoding for one value (indefinite or padded lengths, as
 * BER allows) sees meanings in bytes that another reader of the same certificate refuses or reads otherwise.
 *
 * @module
 */
import { malformed } from './x509-error.js';

/** Identifier octets of the universal class that occur in certificates. */
export const DerTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  t61String: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Identifier octet of the context class: `[number]` of a value that is not made of others. */
export const contextTag = (number: number): number => 0x80 | number;
/** Identifier octet of the context class: `[number]` around other values. */
export const constructedContextTag = (number: number): number => 0xa0 | number;

/** A value as it stands. */
export interface DerElement {
  readonly tag: number;
  /** With identifier and length. */
  readonly raw: Uint8Array;
  readonly content: Uint8Array;
}

/** Where the content of a value begins, and where it ends. */
interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Reads values one after the other. Every method throws an `X509Error` with the given words when the next value is another or malformed. */
export class DerReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether everything has been read. */
  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Whether a value with this tag comes next. */
  nextIs(tag: number): boolean {
    return this.#bytes[this.#at] === tag;
  }

  /** The next value, whatever it is. */
  any(problem: string): DerElement {
    const from = this.#at;
    const tag = this.#bytes[from];
    // Tags above 30 take more than one octet; nothing in a certificate has one.
    const extent = tag === undefined || (tag & 0x1f) === 0x1f ? undefined : readLength(this.#bytes, from + 1);
    if (tag === undefined || extent === undefined) throw malformed(problem);
    this.#at = extent.end;
    return {
      tag,
      raw: this.#bytes.subarray(from, extent.end),
      content: this.#bytes.subarray(extent.start, extent.end),
    };
  }

  /** The next value, which must have this tag. */
  element(tag: number, problem: string): DerElement {
    if (!this.nextIs(tag)) throw malformed(problem);
    return this.any(problem);
  }

  /** The next value if it has this tag. */
  optional(tag: number, problem: string): DerElement | undefined {
    return this.nextIs(tag) ? this.any(problem) : undefined;
  }

  /** A reader of what the next value is made of. */
  enter(tag: number, problem: string): DerReader {
    return new DerReader(this.element(tag, problem).content);
  }

  /** Nothing may follow. */
  end(problem: string): void {
    if (!this.done) throw malformed(problem);
  }
}

/** A length: in one octet, or in as few as it takes, at most four. The form without a length is BER's alone. */
function readLength(bytes: Uint8Array, at: number): Extent | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  if (first < 0x80) return extentOf(bytes, at + 1, first);
  const count = first & 0x7f;
  if (count === 0 || count > 4 || bytes[at + 1] === 0) return undefined;
  let length = 0;
  for (let index = 1; index <= count; index += 1) length = length * 256 + (bytes[at + index] ?? 0);
  return length < 0x80 ? undefined : extentOf(bytes, at + 1 + count, length);
}

function extentOf(bytes: Uint8Array, start: number, length: number): Extent | undefined {
  return start + length > bytes.length ? undefined : { start, end: start + length };
}

/** The only value in `bytes`, which must have this tag. */
export function wholeElement(bytes: Uint8Array, tag: number, problem: string): DerElement {
  const reader = new DerReader(bytes);
  const element = reader.element(tag, problem);
  reader.end(problem);
  return element;
}

/** A BOOLEAN: all bits or none. */
export function booleanOf(content: Uint8Array, problem: string): boolean {
  const [value] = content;
  if (content.length !== 1 || (value !== 0 && value !== 0xff)) throw malformed(problem);
  return value === 0xff;
}

/** Longest INTEGER that is made a number of, in octets: an RSA key has longer ones, of which only the size is looked at. */
const LONGEST_INTEGER = 64;

/** An INTEGER in two's complement, in as few octets as it takes. */
export function integerOf(content: Uint8Array, problem: string): bigint {
  if (!isInteger(content) || content.length > LONGEST_INTEGER) throw malformed(problem);
  let value = 0n;
  for (const octet of content) value = (value << 8n) | BigInt(octet);
  return (content[0] ?? 0) >= 0x80 ? value - (1n << BigInt(8 * content.length)) : value;
}

/** An INTEGER that is not negative and at most 2^31-1. */
export function smallIntegerOf(content: Uint8Array, problem: string): number {
  const value = integerOf(content, problem);
  if (value < 0n || value > 0x7fffffffn) throw malformed(problem);
  return Number(value);
}

/** Whether this is the one encoding of some INTEGER: no octet that only repeats the sign. */
export function isInteger(content: Uint8Array): boolean {
  const [first, second] = content;
  if (first === undefined) return false;
  if (second === undefined) return true;
  return !(first === 0 && second < 0x80) && !(first === 0xff && second >= 0x80);
}

/** A BIT STRING. Bits that only fill the last octet are zero. */
export function bitStringOf(
  content: Uint8Array,
  problem: string,
): { readonly bytes: Uint8Array; readonly unusedBits: number } {
  const unusedBits = content[0];
  const bytes = content.subarray(1);
  const last = bytes.at(-1);
  if (unusedBits === undefined || unusedBits > 7) throw malformed(problem);
  if (last === undefined ? unusedBits !== 0 : (last & ((1 << unusedBits) - 1)) !== 0) throw malformed(problem);
  return { bytes, unusedBits };
}

/** An OBJECT IDENTIFIER in dots. Its numbers go up to 2^31-1. */
export function objectIdentifierOf(content: Uint8Array, problem: string): string {
  const numbers: number[] = [];
  let value = 0;
  let fresh = true;
  for (const octet of content) {
    // An octet 0x80 in front would only pad.
    if ((fresh && octet === 0x80) || value > 0xffffff) throw malformed(problem);
    value = value * 128 + (octet & 0x7f);
    fresh = octet < 0x80;
    if (!fresh) continue;
    if (value > 0x7fffffff) throw malformed(problem);
    numbers.push(value);
    value = 0;
  }
  const [first, ...rest] = numbers;
  if (first === undefined || !fresh) throw malformed(problem);
  // The first two numbers are one: 40 times the first, which is at most 2, and the second.
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - 40 * root, ...rest].join('.');
}

/** Whether two stretches of bytes are the same. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}
