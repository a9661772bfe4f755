/**
 * A strict reader of DER (X.690 section 10): one encoding for each value.
 *
 * Certificates are signed as bytes. A reader that accepts several encodings of one value, as BER allows (indefinite or padded
 * lengths), finds a meaning in bytes that another reader refuses or understands differently.
 *
 * @module
 */
import { DerTag, readDerHeader, type DerElement } from './der.js';
import {
  decodeBitString,
  decodeDerBoolean,
  decodeDerInteger,
  decodeObjectIdentifier,
  decodeSmallDerInteger,
  type BitString,
} from './der-values.js';

/** Makes the error that a reader throws. @param problem what is wrong, as the caller of the reader's method words it */
export type DerFailure = (problem: string) => Error;

/**
 * Reads consecutive values. When the next value is malformed or is not the expected one, a method throws the error that
 * `failure` makes of the `problem` given to it.
 */
export class DerReader {
  readonly #bytes: Uint8Array;
  readonly #failure: DerFailure;
  #at = 0;

  /** @param bytes values, one after the other; what is read are views of them */
  constructor(bytes: Uint8Array, failure: DerFailure) {
    this.#bytes = bytes;
    this.#failure = failure;
  }

  /** Whether everything has been read. */
  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Whether the next value has this tag. */
  nextIs(tag: number): boolean {
    return this.#bytes[this.#at] === tag;
  }

  /** The next value, whatever its tag. Tag numbers above 30, which no certificate has, are refused. */
  any(problem: string): DerElement {
    const from = this.#at;
    const header = readDerHeader(this.#bytes, from);
    if (typeof header === 'string' || header.number > 30) throw this.#failure(problem);
    const end = header.start + header.length;
    if (end > this.#bytes.length) throw this.#failure(problem);
    this.#at = end;
    return {
      tag: header.octet,
      raw: this.#bytes.subarray(from, end),
      content: this.#bytes.subarray(header.start, end),
    };
  }

  /** The next value, which must have this tag. */
  element(tag: number, problem: string): DerElement {
    if (!this.nextIs(tag)) throw this.#failure(problem);
    return this.any(problem);
  }

  /** The next value if it has this tag. */
  optional(tag: number, problem: string): DerElement | undefined {
    return this.nextIs(tag) ? this.any(problem) : undefined;
  }

  /** The next value, which must have this tag and be the last. */
  only(tag: number, problem: string): DerElement {
    const element = this.element(tag, problem);
    this.end(problem);
    return element;
  }

  /** All values that are left. */
  rest(problem: string): DerElement[] {
    const elements: DerElement[] = [];
    while (!this.done) elements.push(this.any(problem));
    return elements;
  }

  /** A reader of the content of the next value, which must have this tag. */
  enter(tag: number, problem: string): DerReader {
    return new DerReader(this.element(tag, problem).content, this.#failure);
  }

  /** A reader of the content of the next value, which must have this tag and be the last. */
  enterOnly(tag: number, problem: string): DerReader {
    return new DerReader(this.only(tag, problem).content, this.#failure);
  }

  /** Checks that everything has been read. */
  end(problem: string): void {
    if (!this.done) throw this.#failure(problem);
  }

  /** A BOOLEAN that may be absent, which means false. */
  optionalBoolean(problem: string): boolean {
    return this.nextIs(DerTag.boolean) && this.#value(DerTag.boolean, decodeDerBoolean, problem);
  }

  /** An INTEGER of at most 64 octets. */
  integer(problem: string): bigint {
    return this.#value(DerTag.integer, decodeDerInteger, problem);
  }

  /** An INTEGER from 0 to 2^31-1. */
  smallInteger(problem: string): number {
    return this.#value(DerTag.integer, decodeSmallDerInteger, problem);
  }

  /** A BIT STRING. */
  bitString(problem: string): BitString {
    return this.#value(DerTag.bitString, decodeBitString, problem);
  }

  /** An OBJECT IDENTIFIER in dotted notation. */
  objectIdentifier(problem: string): string {
    return this.#value(DerTag.objectIdentifier, decodeObjectIdentifier, problem);
  }

  #value<T>(tag: number, decode: (content: Uint8Array) => T | undefined, problem: string): T {
    const value = decode(this.element(tag, problem).content);
    if (value === undefined) throw this.#failure(problem);
    return value;
  }
}
