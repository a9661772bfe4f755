import { decodeUtf8Lossy } from './utf8.js';

/**
 * Wire types of protobuf (https://protobuf.dev/programming-guides/encoding/). Groups, which are 3 and 4, are deprecated and
 * refused.
 */
export const WireType = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Thrown for a malformed protobuf message. The text is that of Go's generated code if it has one. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

const LONGEST_VARINT = 10;
const TWO_TO_32 = 2 ** 32;

/** A byte array whose subarrays have its own type: `Uint8Array`, or a host's subclass of it. */
type Viewable<Bytes> = { subarray(start: number, end: number): Bytes } & Uint8Array;

/**
 * Reads one message in protobuf's wire format, field by field:
 *
 *     for (let field = reader.next(); field !== 0; field = reader.next()) { … }
 *
 * The value of each field must be read or {@link ProtobufReader.skip}ped. Every length is checked against the available
 * bytes before anything is allocated. All methods throw ProtobufError for malformed input.
 */
export class ProtobufReader<Bytes extends Viewable<Bytes>> {
  readonly #bytes: Bytes;
  readonly #end: number;
  #at: number;
  #wireType = 0;
  /** The last varint, in two halves of 32 bits. A bigint would allocate an object for each varint. */
  #low = 0;
  #high = 0;

  /** @param bytes the message or a container of it; results are views of it @param end end offset, exclusive */
  constructor(bytes: Bytes, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
  }

  /** True when everything is read. Packed fields contain values without tags until this is true. */
  get done(): boolean {
    return this.#at >= this.#end;
  }

  /** Number of bytes that are not read yet. */
  get remaining(): number {
    return this.#end - this.#at;
  }

  /** Wire type of the field that {@link ProtobufReader.next} returned last. */
  get wireType(): number {
    return this.#wireType;
  }

  /** Reads the tag of the next field and returns its number; 0 at the end. */
  next(): number {
    if (this.#at >= this.#end) return 0;
    const tag = this.#size();
    this.#wireType = tag % 8;
    if (tag < 8) throw new ProtobufError(`proto: illegal tag 0 (wire type ${tag})`);
    return Math.floor(tag / 8);
  }

  /** Reads an unsigned integer. @throws ProtobufError also above 2^53 - 1 */
  uint64(): number {
    const from = this.#at;
    const value = this.#size();
    if (Number.isSafeInteger(value)) return value;
    this.#at = from;
    this.#varint();
    throw this.#inexact(false);
  }

  /** Reads an unsigned integer exactly. */
  bigUint64(): bigint {
    this.#varint();
    return this.#exact();
  }

  /** Reads a signed integer. @throws ProtobufError also beyond ±(2^53 - 1) */
  int64(): number {
    this.#varint();
    const value = this.#high * TWO_TO_32 + (this.#low >>> 0);
    if (!Number.isSafeInteger(value)) throw this.#inexact(true);
    return value;
  }

  /** Reads a signed integer exactly: a bigint beyond ±(2^53 - 1), a number otherwise. */
  exactInt64(): number | bigint {
    this.#varint();
    const value = this.#high * TWO_TO_32 + (this.#low >>> 0);
    return Number.isSafeInteger(value) ? value : BigInt.asIntN(64, this.#exact());
  }

  /** Reads a signed integer of 32 bits; higher bits are ignored. */
  int32(): number {
    this.#varint();
    return this.#low;
  }

  /** Reads a boolean. */
  bool(): boolean {
    this.#varint();
    return this.#low !== 0 || this.#high !== 0;
  }

  /** Reads a double, little-endian. */
  double(): number {
    const from = this.#advance(8);
    return new DataView(this.#bytes.buffer, this.#bytes.byteOffset + from, 8).getFloat64(0, true);
  }

  /** Reads length-prefixed bytes: a view of the message, not a copy. */
  bytes(): Bytes {
    const length = this.#size();
    const from = this.#advance(length);
    return this.#bytes.subarray(from, this.#at);
  }

  /** Reads text; invalid UTF-8 becomes U+FFFD. */
  string(): string {
    return decodeUtf8Lossy(this.bytes());
  }

  /** Returns a reader of the message in the field. */
  message(): ProtobufReader<Bytes> {
    const length = this.#size();
    const from = this.#advance(length);
    return new ProtobufReader(this.#bytes, from, this.#at);
  }

  /** Skips the value of the field. */
  skip(): void {
    if (this.#wireType === WireType.varint) this.#varint();
    else if (this.#wireType === WireType.bytes) this.#advance(this.#size());
    else if (this.#wireType === WireType.fixed64) this.#advance(8);
    else if (this.#wireType === WireType.fixed32) this.#advance(4);
    else throw new ProtobufError(`proto: illegal wireType ${this.#wireType}`);
  }

  /**
   * Reads a tag, a length, or another unsigned number. A number that a double cannot represent is rounded: as a length,
   * it exceeds the message.
   */
  #size(): number {
    const first = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
    if (first !== undefined && first < 0x80) {
      this.#at += 1;
      return first;
    }
    let value = 0;
    let factor = 1;
    for (let count = 0; count < LONGEST_VARINT; count += 1) {
      const byte = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
      if (byte === undefined) throw new ProtobufError('unexpected EOF');
      this.#at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
    throw new ProtobufError('proto: integer overflow');
  }

  /** Reads up to 64 bits, seven in each byte, the lowest first. Bits beyond the 64th are ignored. */
  #varint(): void {
    let low = 0;
    let high = 0;
    for (let count = 0; count < LONGEST_VARINT; count += 1) {
      const byte = this.#at < this.#end ? this.#bytes[this.#at] : undefined;
      if (byte === undefined) throw new ProtobufError('unexpected EOF');
      this.#at += 1;
      const shift = 7 * count;
      const bits = byte & 0x7f;
      if (count < 5) low |= bits << shift;
      if (count === 4) high = bits >>> 4;
      else if (count > 4) high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.#low = low;
        this.#high = high;
        return;
      }
    }
    throw new ProtobufError('proto: integer overflow');
  }

  #exact(): bigint {
    return (BigInt(this.#high >>> 0) << 32n) | BigInt(this.#low >>> 0);
  }

  #inexact(signed: boolean): ProtobufError {
    const exact = signed ? BigInt.asIntN(64, this.#exact()) : this.#exact();
    return new ProtobufError(`the integer ${exact} cannot be kept exactly`);
  }

  /** Moves past the next bytes. @returns their start offset */
  #advance(count: number): number {
    if (count > this.#end - this.#at) throw new ProtobufError('unexpected EOF');
    const from = this.#at;
    this.#at += count;
    return from;
  }
}
