import { ServerResponse } from 'node:http';
import { returnChunkMemory } from '../../../server/index.js';
import type { NodeResponse } from '../peer.js';
import { writePart } from './response-text.js';

/** Writes the chunks of a streamed body. */
export interface ChunkWriter {
  /** Writes a chunk. Returns false when the client has to take what was written first. */
  write(chunk: Uint8Array): boolean;
  /** Ends the body. */
  end(): void;
}

/** Returns the writer of a response whose head has been sent. */
export function chunkWriter(response: NodeResponse): ChunkWriter {
  if ('stream' in response) return plainWriter(response);
  // A framework may have replaced the method, for example to compress what is written.
  if (response.chunkedEncoding && response.write === ServerResponse.prototype.write) return new FramingWriter(response);
  return plainWriter(response);
}

const plainWriter = (response: NodeResponse): ChunkWriter => ({
  write: (chunk) => chunk.length === 0 || writePart(response, chunk),
  end: () => void response.end(),
});

const LINE_END = '\r\n';
const LAST_CHUNK = '0\r\n\r\n';
/** Maximum length of a chunk that is copied into its frame, in bytes. */
const MAX_COPIED = 64 * 1024;

/** The frames of chunks, for as long as others may write the same chunk. */
const frames = new WeakMap<Uint8Array, Buffer>();

/**
 * Writes the chunked encoding (RFC 9112 section 7.1) itself, a chunk in one piece. Node writes four pieces for each
 * chunk, which costs as much as a third of the whole write, and frames what many watches share again for each of them.
 */
class FramingWriter implements ChunkWriter {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.chunkedEncoding = false;
  }

  write(chunk: Uint8Array): boolean {
    const { length } = chunk;
    // An empty chunk would end the body.
    if (length === 0) return true;
    const response = this.#response;
    if (length <= MAX_COPIED) return response.write(frameOf(chunk));
    response.write(sizeLine(chunk), 'latin1');
    writePart(response, chunk);
    return response.write(LINE_END, 'latin1');
  }

  end(): void {
    this.#response.end(LAST_CHUNK, 'latin1');
  }
}

const sizeLine = ({ length }: Uint8Array): string => length.toString(16) + LINE_END;

/** Returns the frame of a chunk, made once for all watches that write the same chunk. */
function frameOf(chunk: Uint8Array): Buffer {
  const known = frames.get(chunk);
  if (known !== undefined) return known;
  const head = sizeLine(chunk);
  const end = head.length + chunk.length;
  const frame = Buffer.allocUnsafe(end + LINE_END.length);
  frame.write(head, 'latin1');
  frame.set(chunk, head.length);
  frame.write(LINE_END, end, 'latin1');
  frames.set(chunk, frame);
  returnChunkMemory(chunk);
  return frame;
}
