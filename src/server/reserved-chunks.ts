import { ApiError } from '../meta/api-error.js';
import type { Work } from '../meta/work.js';

const TOO_MANY_REQUESTS = 429;

/** Reserves memory. Returns whether there is as much. */
export function tryReserve(work: Work, bytes: number): boolean {
  try {
    work.reserve(bytes);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === TOO_MANY_REQUESTS) return false;
    throw error;
  }
}

/** Chunks of a body that are collected as long as there is memory for them. */
export class ReservedChunks {
  readonly #work: Work;
  #chunks: Uint8Array[] | undefined = [];
  #reserved = 0;

  constructor(work: Work) {
    this.#work = work;
  }

  /** Whether there has been memory for all chunks. */
  get isWhole(): boolean {
    return this.#chunks !== undefined;
  }

  /** The chunks; none when there has not been memory for all of them. */
  get chunks(): readonly Uint8Array[] {
    return this.#chunks ?? [];
  }

  /** Adds chunks, unless there is no memory for them; then all are dropped. */
  add(chunks: readonly Uint8Array[]): void {
    if (this.#chunks === undefined) return;
    for (const chunk of chunks) {
      if (!tryReserve(this.#work, chunk.length)) {
        this.#chunks = undefined;
        this.#work.release(this.#reserved);
        return;
      }
      this.#reserved += chunk.length;
      this.#chunks.push(chunk);
    }
  }
}
