import { joinedText, textLength, type TextParts } from '../../server/http.js';
import { drained } from './drain.js';
import type { NodeResponse } from './peer.js';
import type { WritePace } from './write-pace.js';

/**
 * Bytes gathered for one write. Large enough that a write's cost disappears, small enough that the first bytes leave
 * while the rest is still text, and that a slow reader holds this much and not the whole list twice.
 */
const CHUNK_BYTES = 256 * 1024;

/**
 * Chunks that have been sent and wait for the next list. New memory costs more than what is written into it: a fresh
 * buffer is paged in by the system, byte for byte slower than the copy.
 */
const spare: Buffer[] = [];
const MAX_SPARE = 16;

/** Length of a text in pieces, in bytes of UTF-8. */
export function textPartsLength(text: TextParts): number {
  return text.ascii ? textLength(text) : Buffer.byteLength(joinedText(text));
}

/** Writes bytes and ends the response, in chunks when there are many: so it shows that a client takes some of them. */
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

/** Writes a text in pieces and ends the response. */
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

/** A buffer, of which the first bytes are to be sent. */
interface Chunk {
  readonly buffer: Buffer;
  readonly length: number;
}

const filled = ({ buffer, length }: Chunk): Buffer => buffer.subarray(0, length);

/** Gives a buffer back once its bytes are on their way. */
const giveBack =
  ({ buffer }: Chunk) =>
  (): void => {
    if (buffer.length >= CHUNK_BYTES && spare.length < MAX_SPARE) spare.push(buffer);
  };

// The overloads of the two versions differ, so that a call on their union does not type.
function write(response: NodeResponse, chunk: Chunk): boolean {
  return 'stream' in response
    ? response.write(filled(chunk), 'latin1', giveBack(chunk))
    : response.write(filled(chunk), giveBack(chunk));
}

function endWith(response: NodeResponse, chunk: Chunk): void {
  end(response, filled(chunk), giveBack(chunk));
}

function end(response: NodeResponse, bytes: Uint8Array, callback: (() => void) | undefined): void {
  if ('stream' in response) response.end(bytes, callback);
  else response.end(bytes, callback);
}

/** Node's own writer of one-byte text into a buffer; `write` spends as long on its arguments as on the text. */
interface Latin1Writer {
  latin1Write(text: string, offset: number): number;
}

/** Cuts a text in pieces into chunks. */
class AsciiChunks {
  readonly #text: TextParts;
  /** Next piece: -1 is the head, the number of parts is the tail. */
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
