/**
 * ASN.1 as production's `encoding/asn1` reads it, and in its words. Lengths and numbers have one form here as well; but what
 * stands at the end of a structure and is not expected is passed over, where the strict reader of certificates refuses it.
 * Requests for certificates are read so.
 *
 * @module
 */
import { type DerElement, type DerHeader, DerTag, readDerHeader } from '../encoding/der.js';
import { decodeBitString, decodeObjectIdentifier, isDerInteger } from '../encoding/der-values.js';
import { malformed, type X509Error } from './x509-error.js';

const syntaxError = (problem: string): X509Error => malformed(`asn1: syntax error: ${problem}`);
const structureError = (problem: string): X509Error => malformed(`asn1: structure error: ${problem}`);

/** Reads values one after the other. Every method throws an `X509Error`. */
export class Asn1Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether everything has been read. */
  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Nothing may follow. */
  end(): void {
    if (!this.done) throw syntaxError('trailing data');
  }

  /** The next value, whatever it is. */
  any(): DerElement {
    return this.#take(this.#header(), 'data truncated');
  }

  /** The next value, which must have this tag. @param type what production reads it into, for the message */
  element(tag: number, type: string): DerElement {
    const header = this.#header();
    if (header.octet !== tag) throw structureError(mismatch(tag, header, type));
    return this.#take(header, 'data truncated');
  }

  /** The next value if it has this tag. */
  optional(tag: number): DerElement | undefined {
    return this.#bytes[this.#at] === tag ? this.any() : undefined;
  }

  /** A reader of what the next value is made of. */
  enter(tag: number, type: string): Asn1Reader {
    return new Asn1Reader(this.element(tag, type).content);
  }

  /** All that is left, each of which must have this tag if one is given. */
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

/** Production shows the structures that it compares: the tag wanted, the header found, how the field is declared, its type, and where the value begins. */
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

/** An OBJECT IDENTIFIER in dots. */
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

/** The octets of a BIT STRING, moved to the right by the bits that are not used. */
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

/** A BOOLEAN that may be left out, which is false. */
export function readOptionalBoolean(reader: Asn1Reader): boolean {
  const { content } = reader.optional(DerTag.boolean) ?? { content: new Uint8Array(1) };
  if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff)) throw syntaxError('invalid boolean');
  return content[0] === 0xff;
}
