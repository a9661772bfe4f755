import { constants } from 'node:http2';
import { afterFrames } from '../../../foundation/index.js';
import type { StreamBody } from '../../../server/index.js';
import { cancelSource } from '../../cancel-source.js';
import { isGone } from '../gone.js';
import { drained } from '../listening/drain.js';
import type { NodeResponse } from '../peer.js';
import { chunkWriter } from './chunk-writer.js';
import { Delivery } from './delivery.js';
import type { WritePace } from './write-pace.js';

/**
 * Writes a stream body chunk by chunk and waits for a slow client between chunks. Sends the head first, so that a watch
 * starts before its first event.
 *
 * When the client disconnects, the source gets `return()` immediately, even during a pull. When the source fails, the
 * connection or the HTTP/2 stream is reset, so that the client does not take a partial response for a complete one. The
 * same happens when the server drops a slow client.
 */
export async function writeStream(
  response: NodeResponse,
  body: StreamBody,
  pace: WritePace | undefined,
): Promise<void> {
  const iterator = body.stream[Symbol.asyncIterator]();
  let ended = false;
  // HTTP/2 has already sent the head.
  if (!('stream' in response)) response.flushHeaders();
  const writer = chunkWriter(response);
  const delivery = body.take === undefined ? undefined : new Delivery(body.take, writer);
  response.once('close', () => {
    if (!ended) void cancelSource(iterator);
    delivery?.stop();
  });
  try {
    // The event alone does not suffice: a source that never pauses would starve it.
    while (!isGone(response)) {
      const running = delivery === undefined ? 'next' : delivery.run();
      const stopped = typeof running === 'string' ? running : await running;
      if (isGone(response)) break;
      if (stopped === 'next') {
        const next = await iterator.next();
        ended = next.done === true;
        if (next.done === true || isGone(response)) break;
        if (writer.write(next.value)) continue;
      }
      const taken = body.blocked?.(heldBytes(response), () => reset(response));
      await drained(response, pace);
      taken?.();
    }
    if (ended) writer.end();
  } catch {
    ended = true;
    reset(response);
  }
}

/** Returns the bytes that wait for the client. */
function heldBytes(response: NodeResponse): number {
  return 'stream' in response ? response.stream.writableLength : response.writableLength;
}

/** Closes the connection, or resets the HTTP/2 stream, so that the client does not take a response for complete. */
export function reset(response: NodeResponse): void {
  if ('stream' in response) afterFrames(() => response.stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  else response.destroy();
}
