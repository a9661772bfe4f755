/** Answers of more bytes are compressed when the client takes that. */
export const COMPRESSION_THRESHOLD = 128 * 1024;

/**
 * Whether an answer is sent compressed: the client accepts gzip (and does not give it a quality of zero), and the answer is
 * longer than 128 KiB.
 *
 * @param acceptEncoding the Accept-Encoding header
 * @param byteLength length of the answer
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
  // The copy is of memory that is surely not shared, as a Blob wants it.
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
