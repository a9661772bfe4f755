/**
 * Texts that functions make, piece by piece, and the pieces of texts that they read.
 *
 * @module
 */
import type { Meter } from '../cost/meter.js';

/** Pieces that are joined at once. */
const PIECES_AT_ONCE = 512;

/** Collects the pieces of a text. Its memory is counted before it is used. */
export class MadeText {
  readonly #meter: Meter;
  #length = 0;
  #pieces: string[] = [];
  readonly #joined: string[] = [];

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  /** @throws what `Meter.makeText` throws */
  add(piece: string): void {
    this.#length += piece.length;
    this.#meter.makeText(piece.length, this.#length);
    this.#pieces.push(piece);
    if (this.#pieces.length < PIECES_AT_ONCE) return;
    this.#joined.push(this.#pieces.join(''));
    this.#pieces = [];
  }

  /** Returns the whole text. */
  toString(): string {
    return this.#joined.join('') + this.#pieces.join('');
  }
}

/** Characters of a piece. */
const PIECE = 4096;

/** Yields the pieces of a text in order. No piece ends within a character. */
export function* piecesOf(text: string): Iterable<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + PIECE);
    if (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to += 1;
    yield text.slice(from, to);
    from = to;
  }
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
