import { encodeUtf8 } from './utf8.js';

const INITIAL_BYTES = 512;

/**
 * Writes protobuf's wire format (https://protobuf.dev/programming-guides/encoding/) from the end to the beginning, as
 * Kubernetes does: the length of a message is known once its content is written, so no measuring and no copying between
 * messages is needed.
 *
 * Fields are therefore written last first, and the value of a field before its tag.
 */
export class ProtobufWriter {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #start = INITIAL_BYTES;
  readonly #growing: ((bytes: number) => void) | undefined;

  /** @param growing called with the number of further bytes before they are allocated */
  constructor(growing?: (bytes: number) => void) {
    this.#growing = growing;
  }

  /** Number of bytes written. */
  get length(): number {
    return this.#bytes.length - this.#start;
  }

  /** Starts again, in the same memory. */
  clear(): void {
    this.#start = this.#bytes.length;
  }

  /** Returns a copy of the written bytes. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(this.#start);
  }

  /** Returns a view of the written bytes, valid until the next write. It may retain twice as much memory. */
  view(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(this.#start);
  }

  /** Writes bytes unchanged. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#start -= bytes.length;
    this.#bytes.set(bytes, this.#start);
  }

  /** Writes the tag of a field, after its value. */
  tag(field: number, wireType: number): void {
    this.#unsigned(field * 8 + wireType);
  }

  /** Writes an integer: a number between ±(2^53 - 1), or any bigint of 64 bits. Negative integers take ten bytes. */
  varint(value: number | bigint): void {
    if (typeof value === 'number' && value >= 0) return this.#unsigned(value);
    let rest = BigInt.asUintN(64, BigInt(value));
    const groups: number[] = [];
    for (; rest >= 0x80n; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
    groups.push(Number(rest));
    this.raw(Uint8Array.from(groups));
  }

  /** Writes a double, little-endian. */
  double(value: number): void {
    const eight = new Uint8Array(8);
    new DataView(eight.buffer).setFloat64(0, value, true);
    this.raw(eight);
  }

  /** Writes length-prefixed bytes. */
  lengthDelimited(bytes: Uint8Array): void {
    this.raw(bytes);
    this.#unsigned(bytes.length);
  }

  /** Writes UTF-8 text, prefixed with its length in bytes. */
  string(text: string): void {
    const { length } = text;
    this.#reserve(length);
    const bytes = this.#bytes;
    let at = this.#start;
    for (let index = length - 1; index >= 0; index -= 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return this.lengthDelimited(encodeUtf8(text));
      at -= 1;
      bytes[at] = code;
    }
    this.#start = at;
    this.#unsigned(length);
  }

  /**
   * Writes the number of bytes written since {@link ProtobufWriter.length} was `before`: the length prefix of a nested
   * message.
   */
  lengthSince(before: number): void {
    this.#unsigned(this.length - before);
  }

  #unsigned(value: number): void {
    let width = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) width += 1;
    this.#reserve(width);
    this.#start -= width;
    let rest = value;
    for (let index = 0; index < width - 1; index += 1) {
      this.#bytes[this.#start + index] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.#bytes[this.#start + width - 1] = rest;
  }

  #reserve(length: number): void {
    if (length <= this.#start) return;
    const used = this.length;
    const bytes = Math.max(this.#bytes.length * 2, used + length + INITIAL_BYTES);
    this.#growing?.(bytes - this.#bytes.length);
    const grown = new Uint8Array(bytes);
    grown.set(this.#bytes.subarray(this.#start), grown.length - used);
    this.#start = grown.length - used;
    this.#bytes = grown;
  }
}
