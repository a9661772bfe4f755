import { hostModule } from '../meta/host-module.js';

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
/** Size of the pieces in which compressed bytes arrive. */
const PIECE_BYTES = 256 * 1024;

/**
 * Compresses bytes (RFC 1952), on another thread where the host has one for it. Takes the next chunk once the last one
 * is compressed.
 *
 * @returns the compressed bytes, in pieces
 */
export async function gzip(chunks: Chunks): Promise<readonly Uint8Array[]> {
  const zlib = hostModule('node:zlib');
  return isZlib(zlib) ? withHost(zlib, chunks) : withStream(chunks);
}

/** The part of Node's stream of a compression that is used. */
interface HostGzip {
  on(event: 'data', listener: (piece: Uint8Array) => void): void;
  on(event: 'end', listener: () => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  write(chunk: Uint8Array, done: (error?: Error | null) => void): void;
  end(): void;
}

interface HostZlib {
  createGzip(options: { readonly level: number; readonly chunkSize: number }): HostGzip;
}

const isZlib = (module: unknown): module is HostZlib =>
  typeof module === 'object' && module !== null && 'createGzip' in module && typeof module.createGzip === 'function';

async function withHost(zlib: HostZlib, chunks: Chunks): Promise<readonly Uint8Array[]> {
  const stream = zlib.createGzip({ level: LEVEL, chunkSize: PIECE_BYTES });
  const pieces: Uint8Array[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    stream.on('data', (piece) => pieces.push(piece));
    stream.on('end', resolve);
    stream.on('error', reject);
  });
  for await (const chunk of chunks)
    await new Promise<void>((resolve, reject) => {
      stream.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  stream.end();
  await ended;
  return pieces;
}

async function withStream(chunks: Chunks): Promise<readonly Uint8Array[]> {
  const { readable, writable } = new CompressionStream('gzip');
  const writer = writable.getWriter();
  const written = (async () => {
    // A stream requires unshared memory, which a copy guarantees.
    for await (const chunk of chunks) await writer.write(new Uint8Array(chunk));
    await writer.close();
  })();
  const pieces: Uint8Array[] = [];
  const reader = readable.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) pieces.push(read.value);
  await written;
  return pieces;
}
