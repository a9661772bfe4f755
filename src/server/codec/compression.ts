import { hostModule, shareTurn } from '../../foundation/index.js';

/** Minimum size of compressed responses, in bytes (exclusive). */
export const COMPRESSION_THRESHOLD = 128 * 1024;

/**
 * Returns true when a response is compressed: the client accepts gzip (with a quality above zero), and the response is
 * longer than 128 KiB.
 *
 * @param acceptEncoding the Accept-Encoding header
 * @param byteLength length of the response in bytes
 */
export function shouldCompress(acceptEncoding: string | undefined, byteLength: number): boolean {
  if (acceptEncoding === undefined || byteLength <= COMPRESSION_THRESHOLD) return false;
  return acceptEncoding.split(',').some((member) => {
    const [coding = '', ...parameters] = member.split(';').map((part) => part.trim());
    return coding.toLowerCase() === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/i.test(parameter));
  });
}

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Level of the compression: the fastest, as in Kubernetes. */
const LEVEL = 1;

/** Keeps the compressed forms of chunks that are compressed again. */
export interface CompressedChunks {
  /** Returns the compressed form of a chunk; undefined when none is kept. */
  find(chunk: Uint8Array): Uint8Array | undefined;
  /** Takes the compressed form of a chunk. */
  keep(chunk: Uint8Array, compressed: Uint8Array): void;
}

/**
 * Compresses bytes (RFC 1952), on another thread where the host has one for it. Takes the next chunk once the last one
 * is compressed, and the one before has been taken.
 *
 * @param kept keeps the compressed forms of chunks, where the host can join them. A chunk must not change
 * @returns the compressed bytes, in pieces
 */
export function gzip(chunks: Chunks, kept?: CompressedChunks): AsyncGenerator<Uint8Array, void, void> {
  const zlib = hostModule('node:zlib');
  return isZlib(zlib) ? withHost(zlib, chunks, kept) : withStream(chunks);
}

/** The part of Node's compression that is used. */
interface HostZlib {
  deflateRaw(
    bytes: Uint8Array,
    options: { readonly level: number; readonly finishFlush: number },
    done: (error: Error | null, compressed: Uint8Array) => void,
  ): void;
  crc32(bytes: Uint8Array, checksum: number): number;
  readonly constants: { readonly Z_SYNC_FLUSH: number };
}

const isZlib = (module: unknown): module is HostZlib =>
  typeof module === 'object' && module !== null && 'crc32' in module && typeof module.crc32 === 'function';

/** Magic number, method (deflate), no flags and no time, the fastest compression, an unknown system. */
const GZIP_HEAD = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff);
/** The last block of the compressed data, which is empty. */
const LAST_BLOCK = [3, 0];

/**
 * Compresses each chunk on its own, up to the border of a byte, so that the forms of chunks can be joined. References to
 * former chunks would save little: a chunk is several times as long as the distance that a reference reaches.
 */
async function* withHost(
  zlib: HostZlib,
  chunks: Chunks,
  kept: CompressedChunks | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  yield GZIP_HEAD;
  let [checksum, length] = [0, 0];
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    let piece = kept?.find(chunk);
    if (piece === undefined) {
      piece = await deflated(zlib, chunk);
      kept?.keep(chunk, piece);
    }
    checksum = zlib.crc32(chunk, checksum);
    length += chunk.length;
    yield piece;
    const turn = shareTurn();
    if (turn !== undefined) await turn;
  }
  const end = new DataView(new ArrayBuffer(LAST_BLOCK.length + 8));
  LAST_BLOCK.forEach((byte, at) => end.setUint8(at, byte));
  end.setUint32(LAST_BLOCK.length, checksum, true);
  // The length modulo 2^32, as setUint32 takes it.
  end.setUint32(LAST_BLOCK.length + 4, length, true);
  yield new Uint8Array(end.buffer);
}

/** Number of chunks that are compressed concurrently: more of them would take the processors from the event loop. */
const MAX_COMPRESSING = 2;

/** Number of chunks that are being compressed. */
let compressing = 0;
/** Begin the compression of the chunks that wait for it, in the order in which they came. */
const waiting: (() => void)[] = [];

/** Compresses a chunk when its turn has come. */
async function deflated(zlib: HostZlib, bytes: Uint8Array): Promise<Uint8Array> {
  if (compressing < MAX_COMPRESSING) compressing += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await deflatedNow(zlib, bytes);
  } finally {
    const next = waiting.shift();
    if (next === undefined) compressing -= 1;
    else next();
  }
}

function deflatedNow({ deflateRaw, constants }: HostZlib, bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    deflateRaw(bytes, { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH }, (error, compressed) => {
      // A copy, because the host returns a part of a larger buffer.
      if (error === null) resolve(new Uint8Array(compressed));
      else reject(error);
    });
  });
}

async function* withStream(chunks: Chunks): AsyncGenerator<Uint8Array, void, void> {
  const { readable, writable } = new CompressionStream('gzip');
  const writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>> = writable.getWriter();
  const writing = write(chunks, writer).catch((error: unknown) => writer.abort(error));
  const reader = readable.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
    await writing;
  } finally {
    // Of a body that is not taken to its end.
    await reader.cancel().catch(() => undefined);
  }
}

/** Writes chunks as fast as they are compressed and taken. */
async function write(chunks: Chunks, writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>): Promise<void> {
  for await (const chunk of chunks) {
    await writer.ready;
    // A stream requires unshared memory, which a copy guarantees.
    await writer.write(new Uint8Array(chunk));
  }
  await writer.close();
}
