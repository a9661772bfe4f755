import { DecodeProblem } from './decode-problem.js';

/** Wire types of protobuf. 3 and 4 (groups) are not used by this API and refused. */
export const WIRE_VARINT = 0;
export const WIRE_FIXED64 = 1;
export const WIRE_BYTES = 2;
export const WIRE_FIXED32 = 5;

const text = new TextDecoder('utf-8', { ignoreBOM: true });

const truncated = (): DecodeProblem => new DecodeProblem('unexpected EOF');

/**
 * Reads protobuf's wire format from a slice. Every length is checked against what is there, so nothing is allocated for a
 * length that only claims to be.
 *
 * Every method throws DecodeProblem for what is not well-formed.
 */
export class ProtoReader {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  /** Whether everything is read. */
  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  /** Field number times eight plus wire type. */
  tag(): number {
    const tag = this.small();
    if (tag < 8) throw new DecodeProblem(`proto: illegal tag ${Math.floor(tag / 8)} (wire type ${tag % 8})`);
    return tag;
  }

  /** An unsigned integer of up to 64 bits. */
  varint(): bigint {
    const first = this.bytes[this.at];
    if (first !== undefined && first < 0x80) {
      this.at += 1;
      return BigInt(first);
    }
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes[this.at];
      if (byte === undefined) throw truncated();
      this.at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new DecodeProblem('proto: integer overflow');
  }

  /** A tag or a length. One that a double cannot hold is rounded, and far beyond anything that is there. */
  private small(): number {
    const first = this.bytes[this.at];
    if (first === undefined || first >= 0x80) return Number(this.varint());
    this.at += 1;
    return first;
  }

  /** A signed integer of 32 bits. */
  int32(): number {
    return Number(BigInt.asIntN(32, this.varint()));
  }

  /** A signed integer of 64 bits; those beyond ±(2^53 - 1) are refused. */
  int64(): number {
    const exact = BigInt.asIntN(64, this.varint());
    const value = Number(exact);
    if (!Number.isSafeInteger(value)) throw new DecodeProblem(`the integer ${exact} cannot be kept exactly`);
    return value;
  }

  /** A double, little-endian. */
  double(): number {
    const slice = this.take(8);
    return new DataView(slice.buffer, slice.byteOffset, 8).getFloat64(0, true);
  }

  /** A length and that many bytes: a view of the input, not a copy. */
  slice(): Uint8Array {
    return this.take(this.small());
  }

  /** A string; invalid UTF-8 becomes U+FFFD. */
  string(): string {
    return text.decode(this.slice());
  }

  /** Passes over a value of an unknown field. */
  skip(wireType: number): void {
    if (wireType === WIRE_VARINT) this.varint();
    else if (wireType === WIRE_FIXED64) this.take(8);
    else if (wireType === WIRE_BYTES) this.slice();
    else if (wireType === WIRE_FIXED32) this.take(4);
    else throw new DecodeProblem(`proto: illegal wireType ${wireType}`);
  }

  private take(length: number): Uint8Array {
    if (length > this.bytes.length - this.at) throw truncated();
    const slice = this.bytes.subarray(this.at, this.at + length);
    this.at += length;
    return slice;
  }
}
