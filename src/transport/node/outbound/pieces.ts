import { finished, type Readable } from 'node:stream';
import { afterFrames } from '../../../foundation/index.js';

/** Bytes that may wait to be read before the stream is asked to pause. */
const MAX_WAITING_BYTES = 64 * 1024;
/** Pieces that may wait to be read: a server that sends so many at once sends a byte in each. */
const MAX_WAITING_PIECES = 4096;

/** Why a response has no end. */
export const INCOMPLETE = 'the connection was closed before the response was complete';
const TOO_MANY = 'the response comes in too many pieces';

type Piece = IteratorResult<Uint8Array, undefined>;

const END: Piece = Object.freeze({ done: true, value: undefined });

/**
 * Returns the bytes of a stream as they arrive, those since the last time as one piece. Ending the iteration destroys the
 * stream.
 *
 * The stream's own iterator waits for several more promises and ticks for each piece, which is most of the cost of a small
 * watch event; a generator waits for some of them, too.
 *
 * @param reasonOf returns what is thrown for the error of a stream that ends early; default the error
 */
export function piecesOf(
  stream: Readable,
  reasonOf: (error: Error) => Error = (error) => error,
): AsyncIterableIterator<Uint8Array, undefined, undefined> {
  return new Pieces(stream, reasonOf);
}

class Pieces implements AsyncIterableIterator<Uint8Array, undefined, undefined> {
  readonly #stream: Readable;
  readonly #reasonOf: (error: Error) => Error;
  #arrived: Buffer[] = [];
  #waitingBytes = 0;
  #end: { readonly error: Error | null | undefined } | undefined;
  /** Answers the call that waits for a piece. */
  #answer: (() => void) | undefined;
  /** Ends the wait for the end of the stream; undefined before the first call. */
  #stopListening: (() => void) | undefined;
  #isOver = false;

  constructor(stream: Readable, reasonOf: (error: Error) => Error) {
    this.#stream = stream;
    this.#reasonOf = reasonOf;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Piece> {
    if (this.#isOver) return Promise.resolve(END);
    if (this.#stopListening === undefined) this.#listen();
    else if (this.#stream.isPaused()) this.#stream.resume();
    // An error rejects.
    if (this.#arrived.length > 0 || this.#end !== undefined) return new Promise((resolve) => resolve(this.#take()));
    return new Promise<void>((resolve) => (this.#answer = resolve)).then(() => this.#take());
  }

  return(): Promise<Piece> {
    this.#finish();
    return Promise.resolve(END);
  }

  #listen(): void {
    this.#stopListening = whenOver(this.#stream, (error) => {
      this.#end ??= { error };
      this.#wake();
    });
    this.#stream.on('data', (piece: Buffer) => {
      this.#arrived.push(piece);
      this.#waitingBytes += piece.length;
      if (this.#waitingBytes >= MAX_WAITING_BYTES) this.#stream.pause();
      if (this.#arrived.length === MAX_WAITING_PIECES + 1) afterFrames(() => this.#stream.destroy(new Error(TOO_MANY)));
      this.#wake();
    });
  }

  #wake(): void {
    this.#answer?.();
    this.#answer = undefined;
  }

  /** Takes what has arrived, or the end. @throws the error of a stream that ended early */
  #take(): Piece {
    const [piece] = this.#arrived;
    if (piece !== undefined) {
      const value = this.#arrived.length === 1 ? piece : Buffer.concat(this.#arrived);
      this.#arrived = [];
      this.#waitingBytes = 0;
      return { done: false, value };
    }
    const error = this.#end?.error;
    this.#finish();
    if (error instanceof Error) throw this.#reasonOf(error);
    return END;
  }

  /** Ends the iteration. */
  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopListening?.();
    this.#wake();
    if (!this.#stream.readableEnded) afterFrames(() => this.#stream.destroy());
  }
}

/**
 * Calls back at the end of a stream. `finished` takes a response over HTTP/2 that has arrived before anyone reads it for a
 * stream that was closed too early: such a stream is closed, though its bytes wait.
 *
 * @returns a function that ends the wait
 */
function whenOver(stream: Readable, over: (error?: Error | null) => void): () => void {
  if (!stream.closed || stream.destroyed) return finished(stream, { writable: false }, over);
  const ended = (): void => over();
  const closed = (): void => over(stream.readableEnded ? undefined : new Error(INCOMPLETE));
  stream.once('end', ended).once('error', over).once('close', closed);
  return () => void stream.off('end', ended).off('error', over).off('close', closed);
}
