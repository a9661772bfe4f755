/**
 * DER, written: the counterpart of the reader. Every value has one encoding, so the same facts always make the same bytes.
 *
 * @module
 */
import { goQuote } from '../meta/go-text.js';
import { DerTag } from './der.js';
import { malformed } from './x509-error.js';

/** Bytes in memory of their own, as WebCrypto takes them. */
export type Der = Uint8Array<ArrayBuffer>;

/** A value: its identifier octet, its length, and what it is made of. */
export function derValue(tag: number, ...contents: readonly Uint8Array[]): Der {
  const length = contents.reduce((sum, content) => sum + content.length, 0);
  const head = [tag, ...lengthOctets(length)];
  const bytes = new Uint8Array(head.length + length);
  bytes.set(head);
  let at = head.length;
  for (const content of contents) {
    bytes.set(content, at);
    at += content.length;
  }
  return bytes;
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets = numberOctets(length);
  return [0x80 | octets.length, ...octets];
}

/** The octets of a number that is not negative, the highest first; one at least. */
function numberOctets(number: number): number[] {
  const octets = [number % 256];
  for (let left = Math.floor(number / 256); left > 0; left = Math.floor(left / 256)) octets.unshift(left % 256);
  return octets;
}

/** A SEQUENCE of values. */
export function derSequence(...items: readonly Uint8Array[]): Der {
  return derValue(DerTag.sequence, ...items);
}

/** A SET OF values: in the order of their bytes (X.690 section 11.6). */
export function derSetOf(items: readonly Uint8Array[]): Der {
  return derValue(DerTag.set, ...items.toSorted(compareBytes));
}

/** Less than zero when `a` comes first. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** A BOOLEAN. */
export function derBoolean(value: boolean): Der {
  return derValue(DerTag.boolean, Uint8Array.of(value ? 0xff : 0));
}

/** An INTEGER that is not negative. @param value a number up to 2^53-1, or its octets, the highest first */
export function derInteger(value: number | Uint8Array): Der {
  const octets = typeof value === 'number' ? Uint8Array.from(numberOctets(value)) : value;
  let from = 0;
  while (from < octets.length - 1 && octets[from] === 0) from += 1;
  const digits = octets.subarray(from);
  // A first bit that is set would make it negative.
  return (digits[0] ?? 0x80) < 0x80
    ? derValue(DerTag.integer, digits)
    : derValue(DerTag.integer, new Uint8Array(1), digits);
}

/** A BIT STRING of whole octets, or of all but the last `unusedBits`, which are zero. */
export function derBitString(bytes: Uint8Array, unusedBits = 0): Der {
  return derValue(DerTag.bitString, Uint8Array.of(unusedBits), bytes);
}

/** An OCTET STRING. */
export function derOctetString(bytes: Uint8Array): Der {
  return derValue(DerTag.octetString, bytes);
}

/** NULL. */
export function derNull(): Der {
  return derValue(DerTag.null);
}

const OBJECT_IDENTIFIER = /^[0-2](\.(0|[1-9]\d{0,9}))+$/;

/** An OBJECT IDENTIFIER. @throws X509Error when the text is none, or one that the reader does not take */
export function derObjectIdentifier(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const numbers = [40 * first + second, ...rest];
  // Below 0 and 1 there are forty numbers each, since the first two are written as one.
  if (!OBJECT_IDENTIFIER.test(dotted) || (first < 2 && second >= 40) || numbers.some((number) => number > 0x7fffffff)) {
    throw malformed(`x509: invalid object identifier ${goQuote(dotted)}`);
  }
  return derValue(DerTag.objectIdentifier, Uint8Array.from(numbers.flatMap(septets)));
}

/** Seven bits in an octet, the highest first; every octet but the last has its first bit set. */
function septets(number: number): number[] {
  const octets = [number & 0x7f];
  for (let left = number >>> 7; left > 0; left >>>= 7) octets.unshift((left & 0x7f) | 0x80);
  return octets;
}

const utf8 = new TextEncoder();
const PRINTABLE = /^[-A-Za-z0-9 '()+,./:=?]*$/;

/** A text: PrintableString where that has all of its characters, UTF8String otherwise, as production chooses. @throws X509Error when it is not Unicode */
export function derText(text: string): Der {
  const bytes = utf8.encode(text);
  if (PRINTABLE.test(text)) return derValue(DerTag.printableString, bytes);
  if (/[\ud800-\udfff]/u.test(text)) throw malformed('asn1: string not valid UTF-8');
  return derValue(DerTag.utf8String, bytes);
}

/**
 * A time to the second: UTCTime from 1950 to 2049, GeneralizedTime before and after (RFC 5280 section 4.1.2.5).
 *
 * @param ms since the epoch; what is less than a second is cut off
 * @throws X509Error for a year that has not four digits
 */
export function derTime(ms: number): Der {
  const date = new Date(Math.floor(ms / 1000) * 1000);
  const year = date.getUTCFullYear();
  if (!(year >= 0 && year <= 9999)) throw malformed('asn1: structure error: cannot represent time as GeneralizedTime');
  const text = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return year >= 1950 && year < 2050
    ? derValue(DerTag.utcTime, utf8.encode(text.slice(2)))
    : derValue(DerTag.generalizedTime, utf8.encode(text));
}
