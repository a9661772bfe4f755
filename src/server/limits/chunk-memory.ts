/**
 * Memory of the chunks of bodies. A transport gives it back when a chunk was sent, and the next body uses it: the system
 * pages in fresh memory at a cost above that of the copy, and it is not in the cache of the processor.
 *
 * @module
 */
import { concatBytes, uninitializedBytes } from '../../foundation/index.js';
import { CHUNK_BYTES } from '../requests/http.js';

/** Maximum number of chunks whose memory waits for a body. */
const MAX_SPARE = 16;

const spare: Uint8Array[] = [];
/** The memory that was taken from here, of which each chunk is given back at most once. */
const lent = new WeakSet<ArrayBufferLike>();

/** Returns memory of {@link CHUNK_BYTES} for a chunk that no other response shares. Its content is not defined. */
export function takeChunkMemory(): Uint8Array {
  const memory = spare.pop() ?? uninitializedBytes(CHUNK_BYTES);
  lent.add(memory.buffer);
  return memory;
}

/** Returns whether the memory of a chunk was taken from here, and can be given back. */
export const isLentMemory = ({ buffer }: Uint8Array): boolean => lent.has(buffer);

/** Takes back the memory of a chunk, which nobody may read afterwards. Ignores memory that was not taken from here. */
export function returnChunkMemory({ buffer }: Uint8Array): void {
  if (lent.delete(buffer) && spare.length < MAX_SPARE) spare.push(new Uint8Array(buffer));
}

/** Returns the bytes of the chunks of a short body, and takes back the memory that they do not need. */
export function joinedChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const joined = concatBytes(chunks);
  for (const chunk of chunks) returnChunkMemory(chunk);
  return joined;
}
