const PREFIX_BYTES = 5;
/** Default maximum size of a message; a page of a list is far smaller. */
export const MAX_MESSAGE_BYTES = 1024 * 1024 * 1024;

/** A message is longer than its reader accepts. */
export class MessageTooLongError extends Error {
  /** Length of the message in bytes. */
  readonly length: number;

  constructor(length: number) {
    super(`a message of ${length} bytes`);
    this.length = length;
  }
}

/** Returns the gRPC frame of a message: the compression flag, the length, and the message. */
export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX_BYTES);
  return frame;
}

/** Reassembles the messages of a stream. */
export class FrameReader {
  readonly #maxBytes: number;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  /** @param maxBytes longest message */
  constructor(maxBytes = MAX_MESSAGE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Adds a received chunk.
   *
   * @returns the messages that are now complete
   * @throws Error for a compressed message, which was not requested; MessageTooLongError
   */
  take(chunk: Buffer): Buffer[] {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const messages: Buffer[] = [];
    for (let message = this.#next(); message !== undefined; message = this.#next()) messages.push(message);
    return messages;
  }

  #next(): Buffer | undefined {
    if (this.#length < PREFIX_BYTES) return undefined;
    const prefix = this.#joined(PREFIX_BYTES);
    if (prefix[0] !== 0) throw new Error('a compressed message');
    const length = prefix.readUInt32BE(1);
    if (length > this.#maxBytes) throw new MessageTooLongError(length);
    if (this.#length < PREFIX_BYTES + length) return undefined;
    const all = this.#joined(PREFIX_BYTES + length);
    const message = all.subarray(PREFIX_BYTES, PREFIX_BYTES + length);
    this.#length -= PREFIX_BYTES + length;
    if (this.#length === 0) this.#chunks.length = 0;
    else this.#chunks[0] = all.subarray(PREFIX_BYTES + length);
    return message;
  }

  /** Returns the first chunk, joined with following ones to at least this many bytes. */
  #joined(bytes: number): Buffer {
    let count = 1;
    for (let length = this.#chunks[0]?.length ?? 0; length < bytes; count += 1)
      length += this.#chunks[count]?.length ?? 0;
    if (count > 1) this.#chunks.splice(0, count, Buffer.concat(this.#chunks.slice(0, count)));
    return this.#chunks[0] as Buffer;
  }
}
