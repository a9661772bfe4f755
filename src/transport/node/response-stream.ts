import { constants } from 'node:http2';
import type { StreamBody } from '../../server/http.js';
import { drained } from './drain.js';
import { isGone } from './gone.js';
import type { NodeResponse } from './peer.js';
import type { WritePace } from './write-pace.js';

/**
 * Pulls a stream body and writes it, one pull at a time, waiting for a slow client between pulls. The head goes out
 * first: a watch has begun though nothing has happened yet.
 *
 * When the client goes away the source is told by `return()`, at once even if a pull is under way. When the source
 * fails, the connection or the HTTP/2 stream is broken off, so that the client cannot take what it has for the whole.
 */
export async function writeStream(
  response: NodeResponse,
  body: StreamBody,
  pace: WritePace | undefined,
): Promise<void> {
  const iterator = body.stream[Symbol.asyncIterator]();
  let ended = false;
  response.once('close', () => {
    if (!ended) void letGo(iterator);
  });
  // HTTP/2 has sent the head already.
  if (!('stream' in response)) response.flushHeaders();
  try {
    // Not only the event: a source that is never out of breath would not let it happen.
    while (!isGone(response)) {
      const next = await iterator.next();
      ended = next.done === true;
      if (next.done === true || isGone(response)) break;
      if (!write(response, next.value)) await drained(response, pace);
    }
    if (ended) response.end();
  } catch {
    ended = true;
    breakOff(response);
  }
}

async function letGo(iterator: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    await iterator.return?.();
  } catch {
    // A source that fails while it is let go has nobody left to tell.
  }
}

function write(response: NodeResponse, chunk: Uint8Array): boolean {
  if (chunk.length === 0) return true;
  return 'stream' in response ? response.write(chunk) : response.write(chunk);
}

function breakOff(response: NodeResponse): void {
  if ('stream' in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else response.destroy();
}
