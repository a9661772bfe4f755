import { concatBytes, latin1Writer } from '../encoding/bytes.js';
import { writeUtf8 } from '../encoding/utf8.js';
import { CHUNK_BYTES, type ByteChunks } from './http.js';

/** Maximum number of UTF-8 bytes of a UTF-16 code unit. */
const UTF8_MAX = 3;
const FIRST_CHUNK_BYTES = 4096;

/**
 * Collects a body in chunks. What is added is copied at once, so that an item of a long list leaves no memory of its
 * own behind, which garbage collection would free item by item.
 */
export class ByteChunkWriter {
  readonly #chunks: Uint8Array[] = [];
  #chunk = new Uint8Array(0);
  #putLatin1 = latin1Writer(this.#chunk);
  #used = 0;
  #length = 0;

  /** Number of bytes added. */
  get length(): number {
    return this.#length;
  }

  /** Adds bytes. */
  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#chunk.set(bytes, this.#used);
    this.#count(bytes.length);
  }

  /** Adds bytes that are given as Latin-1 text. */
  latin1(text: string): void {
    this.#reserve(text.length);
    this.#putLatin1(text, this.#used);
    this.#count(text.length);
  }

  /** Adds a text as UTF-8. */
  text(text: string): void {
    this.#reserve(text.length * UTF8_MAX);
    this.#count(writeUtf8(text, this.#chunk.subarray(this.#used)));
  }

  /** Returns the body, with what precedes and follows what was added. */
  finish(head: Uint8Array, tail: Uint8Array): Uint8Array | ByteChunks {
    this.bytes(tail);
    this.#flush();
    const chunks = [head, ...this.#chunks];
    return this.#length < CHUNK_BYTES ? concatBytes(chunks) : { chunks };
  }

  #count(bytes: number): void {
    this.#used += bytes;
    this.#length += bytes;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#chunk.length - this.#used) return;
    const size = Math.min(CHUNK_BYTES, Math.max(FIRST_CHUNK_BYTES, 2 * this.#chunk.length));
    this.#flush();
    this.#chunk = new Uint8Array(Math.max(size, bytes));
    this.#putLatin1 = latin1Writer(this.#chunk);
  }

  #flush(): void {
    if (this.#used > 0) this.#chunks.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = new Uint8Array(0);
    this.#used = 0;
  }
}
