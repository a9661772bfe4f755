import { concatBytes } from './bytes.js';

/**
 * Length below which a piece is copied to those before it, in bytes. An array of its own would take some 200 bytes, and
 * keep the memory of all that arrived with it: a body in pieces of single bytes took hundreds of times its length.
 */
const SHORT_BYTES = 1024;
const LEAST_BLOCK_BYTES = 4 * 1024;
const MOST_BLOCK_BYTES = 64 * 1024;

/** Collects the pieces in which a body arrives. */
export class BodyPieces {
  /** Bytes so far. */
  length = 0;
  /** Short pieces so far. */
  shortPieces = 0;
  readonly #parts: Uint8Array[] = [];
  /** Collects short pieces; it is the last of the parts when it is not empty. */
  #block = new Uint8Array(0);
  #used = 0;

  /** Number of arrays that it holds. */
  get held(): number {
    return this.#parts.length + (this.#used > 0 ? 1 : 0);
  }

  /** Adds a piece. Only the first one, and long ones, are kept as they are. */
  push(piece: Uint8Array): void {
    const isFirst = this.length === 0;
    this.length += piece.length;
    if (piece.length < SHORT_BYTES) this.shortPieces += 1;
    if (isFirst || piece.length >= SHORT_BYTES) {
      this.#endBlock();
      this.#parts.push(piece);
      return;
    }
    if (this.#used + piece.length > this.#block.length) this.#newBlock();
    this.#block.set(piece, this.#used);
    this.#used += piece.length;
  }

  /** Returns the arrays of the body. */
  [Symbol.iterator](): Iterator<Uint8Array> {
    this.#endBlock();
    return this.#parts[Symbol.iterator]();
  }

  /** Returns the body. */
  joined(): Uint8Array {
    this.#endBlock();
    return this.#parts.length === 1 ? (this.#parts[0] as Uint8Array) : concatBytes(this.#parts);
  }

  #newBlock(): void {
    const last = this.#block.length;
    this.#endBlock();
    this.#block = new Uint8Array(Math.min(MOST_BLOCK_BYTES, Math.max(LEAST_BLOCK_BYTES, 2 * last)));
  }

  /** Makes a part of what the block has; the rest of its memory takes the next pieces. */
  #endBlock(): void {
    if (this.#used === 0) return;
    this.#parts.push(this.#block.subarray(0, this.#used));
    this.#block = this.#block.subarray(this.#used);
    this.#used = 0;
  }
}
