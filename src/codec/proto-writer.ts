import { encodeUtf8 } from './utf8.js';

const INITIAL = 512;

/**
 * Writes protobuf's wire format from the end to the beginning, as the production system does: a message's length is known
 * when its content is written, so nothing is measured beforehand and nothing copied.
 *
 * Fields are therefore written last first, and the value before its tag.
 */
export class ProtoWriter {
  private bytes = new Uint8Array(INITIAL);
  private start = INITIAL;

  /** How many bytes are written. */
  get length(): number {
    return this.bytes.length - this.start;
  }

  /** What is written, as an array of its own. */
  finish(): Uint8Array {
    return this.bytes.slice(this.start);
  }

  /** Bytes as they are. */
  raw(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.start -= bytes.length;
    this.bytes.set(bytes, this.start);
  }

  /** A tag: field number and wire type. */
  tag(field: number, wireType: number): void {
    this.unsigned(field * 8 + wireType);
  }

  /** A whole number, up to 2^53; negative ones take ten bytes. */
  varint(value: number): void {
    if (value >= 0) return this.unsigned(value);
    let rest = BigInt.asUintN(64, BigInt(value));
    const groups: number[] = [];
    for (; rest >= 0x80n; rest >>= 7n) groups.push(Number(rest & 0x7fn) | 0x80);
    groups.push(Number(rest));
    this.raw(Uint8Array.from(groups));
  }

  /** A double, little-endian. */
  double(value: number): void {
    const eight = new Uint8Array(8);
    new DataView(eight.buffer).setFloat64(0, value, true);
    this.raw(eight);
  }

  /** Bytes with their length before them. */
  lengthDelimited(bytes: Uint8Array): void {
    this.raw(bytes);
    this.unsigned(bytes.length);
  }

  /** A string with its length before it. */
  string(text: string): void {
    const { length } = text;
    this.reserve(length);
    let at = this.start;
    for (let index = length - 1; index >= 0; index -= 1) {
      const code = text.charCodeAt(index);
      if (code > 0x7f) return this.lengthDelimited(encodeUtf8(text));
      at -= 1;
      this.bytes[at] = code;
    }
    this.start = at;
    this.unsigned(length);
  }

  /** The length of everything since {@link ProtoWriter.length} was `before`. */
  lengthSince(before: number): void {
    this.unsigned(this.length - before);
  }

  private unsigned(value: number): void {
    let width = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 128)) width += 1;
    this.reserve(width);
    this.start -= width;
    let rest = value;
    for (let index = 0; index < width - 1; index += 1) {
      this.bytes[this.start + index] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    this.bytes[this.start + width - 1] = rest;
  }

  private reserve(length: number): void {
    if (length <= this.start) return;
    const used = this.length;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, used + length + INITIAL));
    grown.set(this.bytes.subarray(this.start), grown.length - used);
    this.start = grown.length - used;
    this.bytes = grown;
  }
}
