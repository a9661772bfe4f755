import { isAscii, latin1Writer, uninitializedBytes, writeUtf8 } from '../../foundation/index.js';
import { takeChunkMemory } from '../limits/chunk-memory.js';
import { CHUNK_BYTES } from '../requests/http.js';

/** Maximum number of UTF-8 bytes of a UTF-16 code unit. */
const UTF8_MAX = 3;
const FIRST_CHUNK_BYTES = 4096;
/** Texts up to this length are joined before they are encoded: each call of the encoder takes as long as 500 bytes. */
const SHORT_LENGTH = 192;
/** Length of texts that are encoded in one step. */
const TEXT_LENGTH = 4 * 1024;
/** Texts up to this length, such as separators, are encoded character by character: that takes less than a call. */
const TINY_LENGTH = 24;
const ASCII_CODES = 0x80;
const NO_BYTES: Uint8Array = new Uint8Array(0);

/**
 * Collects a body in chunks of about 256 KiB. What is added is copied, so that an item of a long list leaves no memory of
 * its own behind, which garbage collection would free item by item.
 */
export class ByteChunkWriter {
  #chunks: Uint8Array[] = [];
  #chunk = NO_BYTES;
  #putLatin1 = latin1Writer(NO_BYTES);
  #used = 0;
  /** Capacity of the next chunk. A short body needs little. */
  #capacity: number;
  /** Texts that are not encoded yet. */
  #text = '';
  /** Whether they are known to be ASCII. */
  #isAscii = true;

  /** @param expectedBytes expected length of the body; it affects only how often memory is allocated */
  constructor(expectedBytes = 0) {
    this.#capacity = Math.max(FIRST_CHUNK_BYTES, Math.min(CHUNK_BYTES, expectedBytes));
  }

  /** Whether a chunk is complete. */
  get isFull(): boolean {
    return this.#chunks.length > 0;
  }

  /** Adds bytes. */
  bytes(bytes: Uint8Array): void {
    this.#encode();
    for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
      const part = bytes.length > CHUNK_BYTES ? bytes.subarray(from, from + CHUNK_BYTES) : bytes;
      this.#reserve(part.length);
      this.#chunk.set(part, this.#used);
      this.#used += part.length;
    }
  }

  /** Adds bytes that are given as Latin-1 text. */
  latin1(text: string): void {
    this.#encode();
    for (let from = 0; from < text.length; from += CHUNK_BYTES)
      this.#addLatin1(text.length > CHUNK_BYTES ? text.slice(from, from + CHUNK_BYTES) : text);
  }

  /** Adds a text as UTF-8. Bound, so that it can be passed as a function. */
  readonly text = (text: string): void => {
    if (text.length < SHORT_LENGTH) {
      this.#isAscii = false;
      this.#join(text);
      return;
    }
    this.#encode();
    for (let from = 0; from < text.length;) {
      const to = text.length - from > CHUNK_BYTES / UTF8_MAX ? cut(text, from + TEXT_LENGTH) : text.length;
      this.#addText(from === 0 && to === text.length ? text : text.slice(from, to));
      from = to;
    }
  };

  /** Adds a text that is known to be ASCII. Bound, so that it can be passed as a function. */
  readonly ascii = (text: string): void => {
    if (text.length < SHORT_LENGTH) this.#join(text);
    else this.latin1(text);
  };

  /** Returns the chunks that are complete. */
  take(): readonly Uint8Array[] {
    const chunks = this.#chunks;
    if (chunks.length > 0) this.#chunks = [];
    return chunks;
  }

  /** Returns the chunks that have not been taken, with the last one. */
  end(): readonly Uint8Array[] {
    this.#encode();
    this.#flush();
    return this.take();
  }

  /** Adds a short text to those that are encoded together. */
  #join(text: string): void {
    this.#text += text;
    if (this.#text.length >= TEXT_LENGTH) this.#encode();
  }

  #encode(): void {
    const text = this.#text;
    if (text === '') return;
    const isAscii = this.#isAscii;
    this.#text = '';
    this.#isAscii = true;
    if (text.length <= TINY_LENGTH && this.#addTiny(text)) return;
    if (isAscii) this.#addLatin1(text);
    else this.#addText(text);
  }

  /** Adds a short text if it is ASCII. Returns whether it is. */
  #addTiny(text: string): boolean {
    this.#reserve(text.length);
    const chunk = this.#chunk;
    const used = this.#used;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code >= ASCII_CODES) return false;
      chunk[used + index] = code;
    }
    this.#used += text.length;
    return true;
  }

  #addText(text: string): void {
    if (isAscii(text)) return this.#addLatin1(text);
    this.#reserve(text.length * UTF8_MAX);
    this.#used += writeUtf8(text, this.#chunk.subarray(this.#used));
  }

  #addLatin1(text: string): void {
    this.#reserve(text.length);
    this.#putLatin1(text, this.#used);
    this.#used += text.length;
  }

  #reserve(bytes: number): void {
    const needed = this.#used + bytes;
    if (needed <= this.#chunk.length) return;
    if (this.#used > 0 && needed > CHUNK_BYTES) {
      this.#flush();
      this.#reserve(bytes);
      return;
    }
    const capacity = Math.max(needed, this.#capacity);
    const larger = capacity === CHUNK_BYTES ? takeChunkMemory() : uninitializedBytes(capacity);
    this.#capacity = Math.min(CHUNK_BYTES, 2 * larger.length);
    larger.set(this.#chunk.subarray(0, this.#used));
    this.#chunk = larger;
    this.#putLatin1 = latin1Writer(larger);
  }

  #flush(): void {
    if (this.#used === 0) return;
    this.#chunks.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = NO_BYTES;
    this.#putLatin1 = latin1Writer(NO_BYTES);
    this.#used = 0;
  }
}

/** Returns an index near another one at which a text can be cut without splitting a character. */
function cut(text: string, at: number): number {
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(at - 1));
  return isSplit ? at + 1 : at;
}
