import { shareTurn } from '../../../foundation/index.js';
import {
  CHUNK_BYTES,
  chunksLength,
  isLentMemory,
  joinedText,
  returnChunkMemory,
  takeChunkMemory,
  textLength,
  type ByteChunks,
  type TextParts,
} from '../../../server/index.js';
import { drained } from '../listening/drain.js';
import type { NodeResponse } from '../peer.js';
import type { WritePace } from './write-pace.js';

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
  end(response, bytes);
  return undefined;
}

async function writeSlices(response: NodeResponse, bytes: Uint8Array, pace: WritePace | undefined): Promise<void> {
  let from = 0;
  for (; from + CHUNK_BYTES < bytes.length; from += CHUNK_BYTES) {
    if (!(await isTaken(response, bytes.subarray(from, from + CHUNK_BYTES), pace))) return;
  }
  end(response, bytes.subarray(from));
}

/** Length of short chunks, such as the head and the tail of a list, that leave with the others, in bytes. */
const AROUND_BYTES = 4096;
/** Length up to which a body is passed to the system at once, in bytes. */
const SHORT_BODY_BYTES = 2 * CHUNK_BYTES + AROUND_BYTES;

/** Writes bytes in chunks and ends the response: a short body at once, a long one as the client takes it. */
export function writeByteChunks(
  response: NodeResponse,
  body: ByteChunks,
  pace: WritePace | undefined,
): Promise<void> | undefined {
  if (chunksLength(body) > SHORT_BODY_BYTES) return writeGroups(response, body.chunks, pace);
  endTogether(response, body.chunks);
  return undefined;
}

async function writeGroups(
  response: NodeResponse,
  chunks: readonly Uint8Array[],
  pace: WritePace | undefined,
): Promise<void> {
  let from = 0;
  let to = endOfGroup(chunks, from);
  while (to < chunks.length) {
    if (!(await areTaken(response, chunks.slice(from, to), pace))) return;
    from = to;
    to = endOfGroup(chunks, from);
  }
  endTogether(response, chunks.slice(from));
}

/** Returns the index after the chunks that are passed to the system together, from an index: a long one, and short ones. */
function endOfGroup(chunks: readonly Uint8Array[], from: number): number {
  let length = 0;
  for (let to = from; to < chunks.length; to += 1) {
    length += chunks[to]?.length ?? 0;
    if (to > from && length > CHUNK_BYTES + AROUND_BYTES) return to;
  }
  return chunks.length;
}

/** Does what {@link isTaken} does with chunks that are passed to the system at once. */
function areTaken(
  response: NodeResponse,
  chunks: readonly Uint8Array[],
  pace: WritePace | undefined,
): Promise<boolean> {
  let hasRoom = true;
  response.cork();
  for (const chunk of chunks) hasRoom = writePart(response, chunk);
  response.uncork();
  return goesOn(response, hasRoom, pace);
}

/** Ends a response with chunks that are passed to the system at once. */
function endTogether(response: NodeResponse, chunks: readonly Uint8Array[]): void {
  if (chunks.length > 1) response.cork();
  for (const chunk of chunks.slice(0, -1)) writePart(response, chunk);
  // The end of a response uncorks it.
  end(response, chunks.at(-1) ?? NO_BYTES);
}

const NO_BYTES = new Uint8Array(0);

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
    end(response, first);
    return undefined;
  }
  return writeChunks(response, chunks, first, pace);
}

async function writeChunks(
  response: NodeResponse,
  chunks: AsciiChunks,
  first: Uint8Array,
  pace: WritePace | undefined,
): Promise<void> {
  let chunk = first;
  while (!chunks.done) {
    if (!(await isTaken(response, chunk, pace))) return;
    chunk = chunks.next();
  }
  end(response, chunk);
}

/**
 * Writes a part of a body in the shared time of a turn: the system takes megabytes at a time, from many responses.
 * Resolves when the client has room for more; to false when it has disconnected.
 */
const isTaken = (response: NodeResponse, part: Uint8Array, pace: WritePace | undefined): Promise<boolean> =>
  goesOn(response, writePart(response, part), pace);

/** @param hasRoom whether the client has room for more already */
async function goesOn(response: NodeResponse, hasRoom: boolean, pace: WritePace | undefined): Promise<boolean> {
  if (!hasRoom && !(await drained(response, pace))) return false;
  await shareTurn();
  return true;
}

/** Writes a part of a body, and gives back its memory when it was sent. Returns whether the client has room for more. */
export function writePart(response: NodeResponse, part: Uint8Array): boolean {
  // The overloads of the two HTTP versions differ, so a call on their union does not type-check.
  return 'stream' in response ? response.write(part, 'latin1', whenSent(part)) : response.write(part, whenSent(part));
}

function end(response: NodeResponse, bytes: Uint8Array): void {
  if ('stream' in response) response.end(bytes, whenSent(bytes));
  else response.end(bytes, whenSent(bytes));
}

const whenSent = (part: Uint8Array): (() => void) | undefined =>
  isLentMemory(part) ? () => returnChunkMemory(part) : undefined;

/** Node's internal writer of Latin-1 text; `write` spends as much time on its arguments as on the text. */
interface Latin1Writer {
  latin1Write(text: string, offset: number): number;
}

function chunkBuffer(): Buffer {
  const { buffer, byteOffset, length } = takeChunkMemory();
  return Buffer.from(buffer, byteOffset, length);
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

  next(): Uint8Array {
    const { parts, separator } = this.#text;
    const first = this.#piece();
    const buffer =
      first.length + separator.length > CHUNK_BYTES
        ? Buffer.allocUnsafeSlow(first.length + separator.length)
        : chunkBuffer();
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
    return buffer.subarray(0, offset);
  }

  #piece(): string {
    const { head, parts, tail } = this.#text;
    if (this.#at < 0) return head;
    return this.#at < parts.length ? (parts[this.#at] as string) : tail;
  }
}
