import { CHUNK_BYTES, joinedText, textLength, type ByteChunks, type TextParts } from '../../server/http.js';
import { drained } from './drain.js';
import type { NodeResponse } from './peer.js';
import type { WritePace } from './write-pace.js';

/** Sent buffers for reuse. Allocation costs more than the copy, because the system must page in fresh memory. */
const spare: Buffer[] = [];
const MAX_SPARE = 16;

/** Returns the length of a text in parts, in bytes of UTF-8. */
export function textPartsLength(text: TextParts): number {
  return text.ascii ? textLength(text) : Buffer.byteLength(joinedText(text));
}

/** Writes bytes and ends the response. Writes large bodies in chunks, to observe the progress of the client. */
export function writeBytes(
  response: NodeResponse,
  bytes: Uint8Array,
  pace: WritePace | undefined,
): Promise<void> | undefined {
  if (bytes.length > CHUNK_BYTES) return writeSlices(response, bytes, pace);
  end(response, bytes, undefined);
  return undefined;
}

async function writeSlices(response: NodeResponse, bytes: Uint8Array, pace: WritePace | undefined): Promise<void> {
  let from = 0;
  for (; from + CHUNK_BYTES < bytes.length; from += CHUNK_BYTES) {
    const slice = bytes.subarray(from, from + CHUNK_BYTES);
    const open = 'stream' in response ? response.write(slice) : response.write(slice);
    if (!open && !(await drained(response, pace))) return;
  }
  end(response, bytes.subarray(from), undefined);
}

/** Writes bytes in chunks and ends the response. */
export async function writeByteChunks(
  response: NodeResponse,
  { chunks }: ByteChunks,
  pace: WritePace | undefined,
): Promise<void> {
  for (const chunk of chunks) {
    const open = 'stream' in response ? response.write(chunk) : response.write(chunk);
    if (!open && !(await drained(response, pace))) return;
  }
  response.end();
}

/** Writes a text in parts and ends the response. */
export function writeTextParts(
  response: NodeResponse,
  text: TextParts,
  pace: WritePace | undefined,
): Promise<void> | undefined {
  if (!text.ascii) return writeBytes(response, Buffer.from(joinedText(text)), pace);
  const chunks = new AsciiChunks(text);
  const first = chunks.next();
  if (chunks.done) {
    endWith(response, first);
    return undefined;
  }
  return writeChunks(response, chunks, first, pace);
}

async function writeChunks(
  response: NodeResponse,
  chunks: AsciiChunks,
  first: Chunk,
  pace: WritePace | undefined,
): Promise<void> {
  let chunk = first;
  while (!chunks.done) {
    if (!write(response, chunk) && !(await drained(response, pace))) return;
    chunk = chunks.next();
  }
  endWith(response, chunk);
}

/** A buffer and the number of its bytes to send. */
interface Chunk {
  readonly buffer: Buffer;
  readonly length: number;
}

const filled = ({ buffer, length }: Chunk): Buffer => buffer.subarray(0, length);

/** Returns a callback that releases a buffer for reuse once it has been sent. */
const releaseBuffer =
  ({ buffer }: Chunk) =>
  (): void => {
    if (buffer.length >= CHUNK_BYTES && spare.length < MAX_SPARE) spare.push(buffer);
  };

// The overloads of the two HTTP versions differ, so a call on their union does not type-check.
function write(response: NodeResponse, chunk: Chunk): boolean {
  return 'stream' in response
    ? response.write(filled(chunk), 'latin1', releaseBuffer(chunk))
    : response.write(filled(chunk), releaseBuffer(chunk));
}

function endWith(response: NodeResponse, chunk: Chunk): void {
  end(response, filled(chunk), releaseBuffer(chunk));
}

function end(response: NodeResponse, bytes: Uint8Array, callback: (() => void) | undefined): void {
  if ('stream' in response) response.end(bytes, callback);
  else response.end(bytes, callback);
}

/** Node's internal writer of Latin-1 text; `write` spends as much time on its arguments as on the text. */
interface Latin1Writer {
  latin1Write(text: string, offset: number): number;
}

/** Splits a text in parts into chunks. */
class AsciiChunks {
  readonly #text: TextParts;
  /** Index of the next part: -1 is the head, the number of parts is the tail. */
  #at = -1;

  constructor(text: TextParts) {
    this.#text = text;
  }

  get done(): boolean {
    return this.#at > this.#text.parts.length;
  }

  next(): Chunk {
    const { parts, separator } = this.#text;
    const first = this.#piece();
    const buffer =
      first.length + separator.length > CHUNK_BYTES
        ? Buffer.allocUnsafeSlow(first.length + separator.length)
        : (spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES));
    const writer = buffer as Buffer & Latin1Writer;
    let offset = 0;
    while (this.#at <= parts.length) {
      const piece = this.#piece();
      if (offset + piece.length + separator.length > buffer.length) break;
      if (this.#at > 0 && this.#at < parts.length)
        for (let index = 0; index < separator.length; index += 1) buffer[offset++] = separator.charCodeAt(index);
      offset += writer.latin1Write(piece, offset);
      this.#at += 1;
    }
    return { buffer, length: offset };
  }

  #piece(): string {
    const { head, parts, tail } = this.#text;
    if (this.#at < 0) return head;
    return this.#at < parts.length ? (parts[this.#at] as string) : tail;
  }
}
