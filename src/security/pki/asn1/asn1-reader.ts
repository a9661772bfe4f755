/**
 * Reads ASN.1 as Go's `encoding/asn1` does, with its error texts. Lengths and numbers must have their DER form.
 * Unexpected trailing data in a structure is ignored, unlike in the strict reader of certificates. Certificate requests
 * are read with it.
 *
 * @module
 */
import {
  decodeBitString,
  decodeObjectIdentifier,
  DerTag,
  isDerInteger,
  readDerHeader,
  type DerElement,
  type DerHeader,
} from '../../../foundation/index.js';
import { malformed, type X509Error } from '../x509-error.js';

const syntaxError = (problem: string): X509Error => malformed(`asn1: syntax error: ${problem}`);
const structureError = (problem: string): X509Error => malformed(`asn1: structure error: ${problem}`);

/** Reads values in sequence. Every method throws an `X509Error`. */
export class Asn1Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** True at the end of the bytes. */
  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Requires the end of the bytes. */
  end(): void {
    if (!this.done) throw syntaxError('trailing data');
  }

  /** Reads the next value, of any tag. */
  any(): DerElement {
    return this.#take(this.#header(), 'data truncated');
  }

  /** Reads the next value, which must have this tag. @param type Go type of the target, for the message */
  element(tag: number, type: string): DerElement {
    const header = this.#header();
    if (header.octet !== tag) throw structureError(mismatch(tag, header, type));
    return this.#take(header, 'data truncated');
  }

  /** Reads the next value if it has this tag. */
  optional(tag: number): DerElement | undefined {
    return this.#bytes[this.#at] === tag ? this.any() : undefined;
  }

  /** Returns a reader of the content of the next value. */
  enter(tag: number, type: string): Asn1Reader {
    return new Asn1Reader(this.element(tag, type).content);
  }

  /** Reads all remaining values, which must have the given tag, if any. */
  list(tag?: number): DerElement[] {
    const elements: DerElement[] = [];
    while (!this.done) {
      const header = this.#header();
      if (tag !== undefined && header.octet !== tag) throw structureError('sequence tag mismatch');
      elements.push(this.#take(header, 'truncated sequence'));
    }
    return elements;
  }

  #take({ octet, length, start }: DerHeader, problem: string): DerElement {
    const from = this.#at;
    const end = start + length;
    if (end > this.#bytes.length) throw syntaxError(problem);
    this.#at = end;
    return { tag: octet, raw: this.#bytes.subarray(from, end), content: this.#bytes.subarray(start, end) };
  }

  #header(): DerHeader {
    const header = readDerHeader(this.#bytes, this.#at);
    if (typeof header === 'string') throw malformed(`asn1: ${header}`);
    return header;
  }
}

/**
 * Returns Go's message for a wrong tag: the expected tag, the header, the field parameters, the type and the offset.
 */
function mismatch(wanted: number, { octet, number, length, start }: DerHeader, type: string): string {
  const tag = (wanted & 0xc0) === 0 ? '<nil>' : String(wanted & 0x1f);
  const found = `{class:${octet >> 6} tag:${number} length:${length} isCompound:${(octet & 0x20) !== 0}}`;
  const field = `{optional:false explicit:false application:false private:false defaultValue:<nil> tag:${tag} stringType:0 timeType:0 set:false omitEmpty:false}`;
  return `tags don't match (${wanted & 0x1f} vs ${found}) ${field} ${type} @${start}`;
}

/** Checks an INTEGER that fits into 64 bits. */
export function checkInteger(content: Uint8Array): void {
  if (content.length === 0) throw structureError('empty integer');
  if (!isDerInteger(content)) throw structureError('integer not minimally-encoded');
  if (content.length > 8) throw structureError('integer too large');
}

/** Reads an OBJECT IDENTIFIER in dotted form. */
export function readObjectIdentifier(reader: Asn1Reader): string {
  const { content } = reader.element(DerTag.objectIdentifier, 'ObjectIdentifier');
  if (content.length === 0) throw syntaxError('zero length OBJECT IDENTIFIER');
  const identifier = decodeObjectIdentifier(content);
  if (identifier !== undefined) return identifier;
  const isPadded = content.some((octet, index) => octet === 0x80 && (content[index - 1] ?? 0) < 0x80);
  if (isPadded) throw syntaxError('integer is not minimally encoded');
  throw (content.at(-1) ?? 0) >= 0x80
    ? syntaxError('truncated base 128 integer')
    : structureError('base 128 integer too large');
}

/** Reads the octets of a BIT STRING, shifted right by the number of unused bits. */
export function readBitString(reader: Asn1Reader): Uint8Array {
  const { content } = reader.element(DerTag.bitString, 'BitString');
  if (content.length === 0) throw syntaxError('zero length BIT STRING');
  const value = decodeBitString(content);
  if (value === undefined) throw syntaxError('invalid padding bits in BIT STRING');
  const { bytes, unusedBits } = value;
  return unusedBits === 0
    ? bytes
    : bytes.map((octet, index) => (octet >> unusedBits) | ((bytes[index - 1] ?? 0) << (8 - unusedBits)));
}

/** Reads an optional BOOLEAN; false when it is absent. */
export function readOptionalBoolean(reader: Asn1Reader): boolean {
  const { content } = reader.optional(DerTag.boolean) ?? { content: new Uint8Array(1) };
  if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) throw syntaxError('invalid boolean');
  return content[0] === 0xff;
}
