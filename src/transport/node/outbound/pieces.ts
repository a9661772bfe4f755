import { finished, type Readable } from 'node:stream';
import { afterFrames, shareTurn } from '../../../foundation/index.js';
import type { ResponseCount } from './response-turns.js';

/** Bytes that may wait to be read before the stream is asked to pause. */
const MAX_WAITING_BYTES = 64 * 1024;
/** Pieces that are kept one by one: each takes some 200 bytes besides its own, and a server may send a byte in each. */
const MAX_SINGLE_PIECES = 256;

/** Length from which a response ends in the shared time of a turn, in bytes: its reader joins it then. */
const LONG_BYTES = 256 * 1024;

/** Why a response has no end. */
export const INCOMPLETE = 'the connection was closed before the response was complete';

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
 * @param count counts the pieces; default: nobody does
 */
export function piecesOf(
  stream: Readable,
  reasonOf: (error: Error) => Error = (error) => error,
  count?: ResponseCount,
): AsyncIterableIterator<Uint8Array, undefined, undefined> {
  return new Pieces(stream, reasonOf, count);
}

class Pieces implements AsyncIterableIterator<Uint8Array, undefined, undefined> {
  readonly #stream: Readable;
  readonly #reasonOf: (error: Error) => Error;
  readonly #count: ResponseCount | undefined;
  #arrived: Buffer[] = [];
  #waitingBytes = 0;
  #takenBytes = 0;
  #end: { readonly error: Error | null | undefined } | undefined;
  /** Answers the call that waits for a piece. */
  #answer: (() => void) | undefined;
  /** Ends the wait for the end of the stream; undefined before the first call. */
  #stopListening: (() => void) | undefined;
  #isOver = false;

  constructor(stream: Readable, reasonOf: (error: Error) => Error, count: ResponseCount | undefined) {
    this.#stream = stream;
    this.#reasonOf = reasonOf;
    this.#count = count;
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
      this.#count?.piece(piece.length);
      if (this.#waitingBytes >= MAX_WAITING_BYTES) this.#stream.pause();
      if (this.#arrived.length === MAX_SINGLE_PIECES) this.#arrived = [Buffer.concat(this.#arrived)];
      this.#wake();
    });
  }

  #wake(): void {
    this.#answer?.();
    this.#answer = undefined;
  }

  /** Takes what has arrived, or the end. @throws the error of a stream that ended early */
  #take(): Piece | Promise<Piece> {
    const [piece] = this.#arrived;
    if (piece !== undefined) {
      const value = this.#arrived.length === 1 ? piece : Buffer.concat(this.#arrived);
      this.#arrived = [];
      this.#waitingBytes = 0;
      this.#takenBytes += value.length;
      return { done: false, value };
    }
    const error = this.#end?.error;
    this.#finish();
    if (error instanceof Error) throw this.#reasonOf(error);
    // Many responses that arrive side by side end in one turn.
    const turn = this.#takenBytes < LONG_BYTES ? undefined : shareTurn();
    return turn === undefined ? END : turn.then(() => END);
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
