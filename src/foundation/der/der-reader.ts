/**
 * A strict reader of DER (X.690 section 10): one encoding for each value.
 *
 * Certificates are signed as bytes. A reader that accepts several encodings of one value, as BER allows (indefinite or
 * padded lengths), may accept bytes that another reader refuses or interprets differently.
 *
 * @module
 */
import {
  decodeBitString,
  decodeDerBoolean,
  decodeDerInteger,
  decodeObjectIdentifier,
  decodeSmallDerInteger,
  type BitString,
} from './der-values.js';
import { DerTag, readDerHeader, type DerElement } from './der.js';

/** Creates the error that a reader throws. @param problem the problem, from the caller of the reader's method */
export type DerFailure = (problem: string) => Error;

/**
 * Reads consecutive values. When the next value is malformed or unexpected, a method throws the error that `failure`
 * creates from its `problem`.
 */
export class DerReader {
  readonly #bytes: Uint8Array;
  readonly #failure: DerFailure;
  #at = 0;

  /** @param bytes consecutive values; results are views of them */
  constructor(bytes: Uint8Array, failure: DerFailure) {
    this.#bytes = bytes;
    this.#failure = failure;
  }

  /** True when everything is read. */
  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** Returns true when the next value has this tag. */
  nextIs(tag: number): boolean {
    return this.#bytes[this.#at] === tag;
  }

  /** Reads the next value with any tag. Tag numbers above 30, which no certificate has, are refused. */
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

  /** Reads the next value, which must have this tag. */
  element(tag: number, problem: string): DerElement {
    if (!this.nextIs(tag)) throw this.#failure(problem);
    return this.any(problem);
  }

  /** Reads the next value if it has this tag. */
  optional(tag: number, problem: string): DerElement | undefined {
    return this.nextIs(tag) ? this.any(problem) : undefined;
  }

  /** Reads the next value, which must have this tag and be the last. */
  only(tag: number, problem: string): DerElement {
    const element = this.element(tag, problem);
    this.end(problem);
    return element;
  }

  /** Reads all remaining values. */
  rest(problem: string): DerElement[] {
    const elements: DerElement[] = [];
    while (!this.done) elements.push(this.any(problem));
    return elements;
  }

  /** Returns a reader of the content of the next value, which must have this tag. */
  enter(tag: number, problem: string): DerReader {
    return new DerReader(this.element(tag, problem).content, this.#failure);
  }

  /** Returns a reader of the content of the next value, which must have this tag and be the last. */
  enterOnly(tag: number, problem: string): DerReader {
    return new DerReader(this.only(tag, problem).content, this.#failure);
  }

  /** Checks that everything is read. */
  end(problem: string): void {
    if (!this.done) throw this.#failure(problem);
  }

  /** Reads an optional BOOLEAN; false when absent. */
  optionalBoolean(problem: string): boolean {
    return this.nextIs(DerTag.boolean) && this.#value(DerTag.boolean, decodeDerBoolean, problem);
  }

  /** Reads an INTEGER of at most 64 octets. */
  integer(problem: string): bigint {
    return this.#value(DerTag.integer, decodeDerInteger, problem);
  }

  /** Reads an INTEGER from 0 to 2^31-1. */
  smallInteger(problem: string): number {
    return this.#value(DerTag.integer, decodeSmallDerInteger, problem);
  }

  /** Reads a BIT STRING. */
  bitString(problem: string): BitString {
    return this.#value(DerTag.bitString, decodeBitString, problem);
  }

  /** Reads an OBJECT IDENTIFIER in dotted notation. */
  objectIdentifier(problem: string): string {
    return this.#value(DerTag.objectIdentifier, decodeObjectIdentifier, problem);
  }

  #value<T>(tag: number, decode: (content: Uint8Array) => T | undefined, problem: string): T {
    const value = decode(this.element(tag, problem).content);
    if (value === undefined) throw this.#failure(problem);
    return value;
  }
}
