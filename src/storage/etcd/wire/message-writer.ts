import { WireType } from '../../../encoding/protobuf-reader.js';
import { ProtobufWriter } from '../../../encoding/protobuf-writer.js';
import { viewUtf8 } from '../../../encoding/utf8.js';

/**
 * Writes one message of version 3 of the protobuf language, where a scalar that is zero, empty or false is left out. Fields
 * are written last first, as the {@link ProtobufWriter} wants it.
 */
export class MessageWriter {
  readonly #writer = new ProtobufWriter();

  /** An integer that is not negative. */
  integer(field: number, value: number | bigint): this {
    if (value === 0 || value === 0n) return this;
    this.#writer.varint(value);
    this.#writer.tag(field, WireType.varint);
    return this;
  }

  /** A flag. */
  flag(field: number, value: boolean): this {
    return this.integer(field, value ? 1 : 0);
  }

  /** A text, in UTF-8. */
  text(field: number, value: string): this {
    return this.bytes(field, viewUtf8(value));
  }

  /** Bytes. */
  bytes(field: number, value: Uint8Array): this {
    if (value.length === 0) return this;
    this.#writer.lengthDelimited(value);
    this.#writer.tag(field, WireType.bytes);
    return this;
  }

  /** A message within this one; it is written even when it is empty. @param write writes its fields, last first */
  message(field: number, write: (inner: this) => void): this {
    const before = this.#writer.length;
    write(this);
    this.#writer.lengthSince(before);
    this.#writer.tag(field, WireType.bytes);
    return this;
  }

  /** The message; nothing may be written afterwards. */
  finish(): Uint8Array {
    return this.#writer.view();
  }
}
