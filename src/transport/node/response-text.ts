import type { TextParts } from '../../server/http.js';
import { drained } from './drain.js';
import type { NodeResponse } from './peer.js';

/**
 * Bytes gathered for one write. Large enough that a write's cost disappears, small enough that the first bytes leave
 * while the rest is still text, and that a slow reader holds this much and not the whole list twice.
 */
const CHUNK_BYTES = 256 * 1024;

/** Length of a text in pieces, in bytes of UTF-8. */
export function textPartsLength(text: TextParts): number {
  let length = 0;
  if (text.ascii) for (const part of text.parts) length += part.length;
  else for (const part of text.parts) length += Buffer.byteLength(part);
  return length;
}

/** Writes a text in pieces and ends the response. */
export function writeTextParts(response: NodeResponse, text: TextParts): Promise<void> | undefined {
  const chunks = new TextChunks(text);
  const first = chunks.next();
  if (chunks.done) {
    endWith(response, first);
    return undefined;
  }
  return writeChunks(response, chunks, first);
}

async function writeChunks(response: NodeResponse, chunks: TextChunks, first: Buffer): Promise<void> {
  let chunk = first;
  while (!chunks.done) {
    if (!writeTo(response, chunk) && !(await drained(response))) return;
    chunk = chunks.next();
  }
  endWith(response, chunk);
}

// The overloads of the two versions differ, so that a call on their union does not type.
function writeTo(response: NodeResponse, chunk: Buffer): boolean {
  return 'stream' in response ? response.write(chunk) : response.write(chunk);
}

function endWith(response: NodeResponse, chunk: Buffer): void {
  if ('stream' in response) response.end(chunk);
  else response.end(chunk);
}

/** Cuts a text in pieces into buffers of about {@link CHUNK_BYTES}. */
class TextChunks {
  readonly #parts: readonly string[];
  readonly #ascii: boolean;
  #at = 0;

  constructor(text: TextParts) {
    this.#parts = text.parts;
    this.#ascii = text.ascii;
  }

  get done(): boolean {
    return this.#at >= this.#parts.length;
  }

  next(): Buffer {
    const parts = this.#parts;
    const start = this.#at;
    let length = 0;
    while (this.#at < parts.length && length < CHUNK_BYTES) {
      const part = parts[this.#at++] as string;
      length += this.#ascii ? part.length : Buffer.byteLength(part);
    }
    // Not from the pool: chunks are large and wait in the socket's queue.
    const buffer = Buffer.allocUnsafeSlow(length);
    const encoding = this.#ascii ? 'latin1' : 'utf8';
    let offset = 0;
    for (let at = start; at < this.#at; at++) {
      const part = parts[at] as string;
      offset += buffer.write(part, offset, encoding);
    }
    return buffer;
  }
}
