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

/** Compresses bytes (RFC 1952). */
export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  // A Blob requires unshared memory, which a copy guarantees.
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
