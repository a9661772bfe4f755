import { ProtobufWriter, viewUtf8, WireType } from '../../../foundation/index.js';

/**
 * Writes one protobuf message (proto3), which omits scalars that are zero, empty or false. Fields are written last to
 * first, as {@link ProtobufWriter} requires.
 */
export class MessageWriter {
  readonly #writer = new ProtobufWriter();

  /** Writes a non-negative integer. */
  integer(field: number, value: number | bigint): this {
    if (value === 0 || value === 0n) return this;
    this.#writer.varint(value);
    this.#writer.tag(field, WireType.varint);
    return this;
  }

  /** Writes a boolean. */
  flag(field: number, value: boolean): this {
    return this.integer(field, value ? 1 : 0);
  }

  /** Writes a text as UTF-8. */
  text(field: number, value: string): this {
    return this.bytes(field, viewUtf8(value));
  }

  /** Writes bytes. */
  bytes(field: number, value: Uint8Array): this {
    if (value.length === 0) return this;
    this.#writer.lengthDelimited(value);
    this.#writer.tag(field, WireType.bytes);
    return this;
  }

  /** Writes a nested message, even when it is empty. @param write writes its fields, last to first */
  message(field: number, write: (inner: this) => void): this {
    const before = this.#writer.length;
    write(this);
    this.#writer.lengthSince(before);
    this.#writer.tag(field, WireType.bytes);
    return this;
  }

  /** Returns the message. Nothing may be written afterwards. */
  finish(): Uint8Array {
    return this.#writer.view();
  }
}
