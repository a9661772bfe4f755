import { finished, type Readable } from 'node:stream';

/** Bytes that may wait to be read before the stream is asked to pause. */
const MAX_WAITING_BYTES = 64 * 1024;

/**
 * Yields the bytes of a stream as they arrive, those since the last time as one piece. Ending the iteration destroys the
 * stream.
 *
 * The stream's own iterator waits for several more promises and ticks for each piece, which is most of the cost of a small
 * watch event.
 *
 * @param reasonOf returns what is thrown for the error of a stream that ends early; default the error
 */
export async function* piecesOf(
  stream: Readable,
  reasonOf: (error: Error) => Error = (error) => error,
): AsyncGenerator<Uint8Array, void, void> {
  let arrived: Buffer[] = [];
  let waitingBytes = 0;
  let end: { readonly error: Error | null | undefined } | undefined;
  let wake: (() => void) | undefined;
  const stopListening = finished(stream, { writable: false }, (error) => {
    end = { error };
    wake?.();
  });
  stream.on('data', (piece: Buffer) => {
    arrived.push(piece);
    waitingBytes += piece.length;
    if (waitingBytes >= MAX_WAITING_BYTES) stream.pause();
    wake?.();
  });
  try {
    for (;;) {
      if (arrived.length > 0) {
        const [piece] = arrived;
        const all = arrived.length === 1 && piece !== undefined ? piece : Buffer.concat(arrived);
        arrived = [];
        waitingBytes = 0;
        yield all;
        if (stream.isPaused()) stream.resume();
      } else if (end !== undefined) {
        if (end.error instanceof Error) throw reasonOf(end.error);
        return;
      } else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    stopListening();
    if (!stream.readableEnded) stream.destroy();
  }
}
