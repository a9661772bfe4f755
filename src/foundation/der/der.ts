/**
 * DER, the distinguished encoding of ASN.1 (X.690 sections 8 and 10): the tags in use here, and the header of a value.
 *
 * @module
 */

/** Identifier octets of the universal class that occur in keys and certificates. */
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

/** Returns the identifier octet of a primitive value in the context class, `[number]`. @param number from 0 to 30 */
export const contextTag = (number: number): number => 0x80 | number;
/** Returns the identifier octet of a constructed value in the context class, `[number]`. @param number from 0 to 30 */
export const constructedContextTag = (number: number): number => 0xa0 | number;

/** One encoded value. */
export interface DerElement {
  /** The first identifier octet. */
  readonly tag: number;
  /** All octets, with identifier and length. */
  readonly raw: Uint8Array;
  readonly content: Uint8Array;
}

/** The octets before the content of a value. */
export interface DerHeader {
  /** The first identifier octet: class, form and, below 31, the number. */
  readonly octet: number;
  /** The tag number, which may take several octets. */
  readonly number: number;
  /** The length of the content, in octets. */
  readonly length: number;
  /** Offset of the content. */
  readonly start: number;
}

/** The problem of an invalid header, with the message of Go's `encoding/asn1`. */
export type DerHeaderProblem =
  | 'syntax error: sequence truncated'
  | 'syntax error: truncated tag or length'
  | 'syntax error: truncated base 128 integer'
  | 'syntax error: integer is not minimally encoded'
  | 'syntax error: non-minimal tag'
  | 'syntax error: indefinite length found (not DER)'
  | 'structure error: base 128 integer too large'
  | 'structure error: length too large'
  | 'structure error: superfluous leading zeros in length'
  | 'structure error: non-minimal length';

interface Tag {
  readonly octet: number;
  readonly number: number;
  /** Offset of the length. */
  readonly next: number;
}

/** A length that reaches this value before its last octet is too large. */
const LENGTH_LIMIT = 2 ** 23;
const LARGEST_TAG_NUMBER = 0x7fffffff;

/**
 * Reads the header of the value at an offset. Tags and lengths must have the shortest encoding; the indefinite length
 * is refused. The caller checks that the content is complete.
 *
 * @returns the header, or its problem
 */
export function readDerHeader(bytes: Uint8Array, at: number): DerHeader | DerHeaderProblem {
  const octet = bytes[at];
  if (octet === undefined) return 'syntax error: sequence truncated';
  const low = octet & 0x1f;
  if (low !== 0x1f) return readLength(bytes, { octet, number: low, next: at + 1 });
  const tag = readHighTag(bytes, octet, at + 1);
  return typeof tag === 'string' ? tag : readLength(bytes, tag);
}

/** Reads a tag number above 30, in seven bits per octet. */
function readHighTag(bytes: Uint8Array, octet: number, from: number): Tag | DerHeaderProblem {
  let number = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const digit = bytes[at] ?? 0;
    if (at === from + 5) return 'structure error: base 128 integer too large';
    if (at === from && digit === 0x80) return 'syntax error: integer is not minimally encoded';
    number = number * 128 + (digit & 0x7f);
    if (digit >= 0x80) continue;
    if (number > LARGEST_TAG_NUMBER) return 'structure error: base 128 integer too large';
    return number < 0x1f ? 'syntax error: non-minimal tag' : { octet, number, next: at + 1 };
  }
  return 'syntax error: truncated base 128 integer';
}

function readLength(bytes: Uint8Array, { octet, number, next }: Tag): DerHeader | DerHeaderProblem {
  const first = bytes[next];
  if (first === undefined) return 'syntax error: truncated tag or length';
  if (first < 0x80) return { octet, number, length: first, start: next + 1 };
  const count = first & 0x7f;
  if (count === 0) return 'syntax error: indefinite length found (not DER)';
  let length = 0;
  for (let at = next + 1; at <= next + count; at += 1) {
    const digit = bytes[at];
    if (digit === undefined) return 'syntax error: truncated tag or length';
    if (length >= LENGTH_LIMIT) return 'structure error: length too large';
    length = length * 256 + digit;
    if (length === 0) return 'structure error: superfluous leading zeros in length';
  }
  return length < 0x80 ? 'structure error: non-minimal length' : { octet, number, length, start: next + 1 + count };
}
