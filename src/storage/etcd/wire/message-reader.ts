const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;
const MAX_VARINT_BYTES = 10;

/**
 * Reads one message in the binary form of protocol buffers, field by field:
 *
 *     for (let field = reader.next(); field !== 0; field = reader.next()) { … }
 *
 * Of each field the value is read, or {@link MessageReader.skip}ped. What is read throws an Error where the message is cut
 * off, or is none.
 */
export class MessageReader {
  readonly #bytes: Buffer;
  readonly #end: number;
  #position: number;
  #wireType = VARINT;

  /** @param bytes the message; subarrays of it are handed out */
  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#position = start;
    this.#end = end;
  }

  /** Number of the next field; 0 at the end. */
  next(): number {
    if (this.#position >= this.#end) return 0;
    const tag = this.integer();
    this.#wireType = tag & 7;
    const field = tag >>> 3;
    if (field === 0) throw malformed();
    return field;
  }

  /** An integer that is not negative and that a double can hold. */
  integer(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) break;
    }
    if (!Number.isSafeInteger(value)) throw malformed();
    return value;
  }

  /** A 64-bit integer without a sign. */
  bigInteger(): bigint {
    // In halves of 32 bits, so that only the last step is one of great integers, each of which is an object.
    let [low, high] = [0, 0];
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#byte();
      const bits = byte & 0x7f;
      if (shift <= 28) low |= bits << shift;
      if (shift === 28) high = bits >>> 4;
      else if (shift > 28) high |= bits << (shift - 32);
      if (byte < 0x80) return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
    }
    throw malformed();
  }

  /** A flag. */
  flag(): boolean {
    return this.integer() !== 0;
  }

  /** Bytes: a part of the message, not a copy. */
  bytes(): Buffer {
    const length = this.integer();
    const start = this.#position;
    this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** A text. */
  text(): string {
    return this.bytes().toString('utf8');
  }

  /** A message within this one. */
  message(): MessageReader {
    const length = this.integer();
    const start = this.#position;
    this.#advance(length);
    return new MessageReader(this.#bytes, start, start + length);
  }

  /** Passes over the value of a field that nobody wants. */
  skip(): void {
    if (this.#wireType === VARINT) this.#skipVarint();
    else if (this.#wireType === LENGTH_DELIMITED) this.#advance(this.integer());
    else if (this.#wireType === FIXED_64) this.#advance(8);
    else if (this.#wireType === FIXED_32) this.#advance(4);
    else throw malformed();
  }

  #skipVarint(): void {
    for (let count = 0; count < MAX_VARINT_BYTES; count += 1) if (this.#byte() < 0x80) return;
    throw malformed();
  }

  #byte(): number {
    const byte = this.#position < this.#end ? this.#bytes[this.#position] : undefined;
    if (byte === undefined) throw malformed();
    this.#position += 1;
    return byte;
  }

  #advance(count: number): void {
    if (count > this.#end - this.#position) throw malformed();
    this.#position += count;
  }
}

const malformed = (): Error => new Error('malformed protocol buffers message');
