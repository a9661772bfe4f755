import { ApiError, type Work } from '../../foundation/index.js';

/** Length up to which the chunks of a body are held, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;
const TOO_MANY_REQUESTS = 429;

/** The chunks of a body, which are held while it is short and there is memory for them. */
export class ShortBody {
  readonly #work: Work;
  #chunks: Uint8Array[] | undefined = [];
  #heldBytes = 0;

  constructor(work: Work) {
    this.#work = work;
  }

  /** Whether all chunks are held. */
  get isWhole(): boolean {
    return this.#chunks !== undefined;
  }

  /** The chunks; none unless all are held. */
  get chunks(): readonly Uint8Array[] {
    return this.#chunks ?? [];
  }

  /** Adds chunks, or drops all of them when they become too many. */
  add(chunks: readonly Uint8Array[]): void {
    if (this.#chunks === undefined) return;
    for (const chunk of chunks) {
      if (this.#heldBytes + chunk.length > MAX_BYTES || !this.#hasReserved(chunk.length)) {
        this.#chunks = undefined;
        this.#work.release(this.#heldBytes);
        return;
      }
      this.#heldBytes += chunk.length;
      this.#chunks.push(chunk);
    }
  }

  #hasReserved(bytes: number): boolean {
    try {
      this.#work.reserve(bytes);
      return true;
    } catch (error) {
      if (error instanceof ApiError && error.code === TOO_MANY_REQUESTS) return false;
      throw error;
    }
  }
}
