const INITIAL_BYTES = 64;
/** Bytes from which on a value is not copied before the whole message is put together. */
const LARGE = 128;
const VARINT = 0;
const LENGTH_DELIMITED = 2;

/**
 * Writes one message in the binary form of protocol buffers. As in its third version, a scalar that is zero, empty or false
 * is left out. Bytes that are written must not change before the message is finished.
 */
export class MessageWriter {
  /** What is complete; the rest is in the buffer. */
  readonly #parts: Uint8Array[] = [];
  #partsLength = 0;
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  #length = 0;

  /** An integer that is not negative. */
  integer(field: number, value: number | bigint): this {
    if (value === 0 || value === 0n) return this;
    this.#tag(field, VARINT);
    if (typeof value === 'bigint') this.#bigVarint(value);
    else this.#varint(value);
    return this;
  }

  /** A flag. */
  flag(field: number, value: boolean): this {
    return this.integer(field, value ? 1 : 0);
  }

  /** A text, in UTF-8. */
  text(field: number, value: string): this {
    return this.bytes(field, Buffer.from(value));
  }

  /** Bytes. */
  bytes(field: number, value: Uint8Array): this {
    if (value.length === 0) return this;
    this.#tag(field, LENGTH_DELIMITED);
    this.#varint(value.length);
    this.#append(value);
    return this;
  }

  /** A message within this one; it is written even when it is empty. */
  message(field: number, inner: MessageWriter): this {
    this.#tag(field, LENGTH_DELIMITED);
    this.#varint(inner.#partsLength + inner.#length);
    for (const part of inner.#parts) this.#append(part);
    this.#append(inner.#bytes.subarray(0, inner.#length));
    return this;
  }

  /** The message so far. */
  finish(): Buffer {
    const rest = this.#bytes.subarray(0, this.#length);
    return this.#parts.length === 0 ? rest : Buffer.concat([...this.#parts, rest], this.#partsLength + this.#length);
  }

  #append(value: Uint8Array): void {
    if (value.length < LARGE) {
      this.#reserve(value.length);
      this.#bytes.set(value, this.#length);
      this.#length += value.length;
      return;
    }
    const before = this.#bytes.subarray(0, this.#length);
    this.#parts.push(before, value);
    this.#partsLength += before.length + value.length;
    this.#bytes = this.#bytes.subarray(this.#length);
    this.#length = 0;
  }

  #tag(field: number, wireType: number): void {
    this.#varint(field * 8 + wireType);
  }

  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#bytes[this.#length++] = (rest % 128) | 0x80;
    this.#bytes[this.#length++] = rest;
  }

  #bigVarint(value: bigint): void {
    this.#reserve(10);
    let rest = value;
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 0x7fn) | 0x80;
    this.#bytes[this.#length++] = Number(rest);
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(INITIAL_BYTES, this.#bytes.length * 2, this.#length + count));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
