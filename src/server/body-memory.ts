/**
 * The memory of requests in flight: bodies that are read and worked on, and responses that are written. It counts
 * against the memory budget of the server. What does not fit is refused, because it cannot be given up.
 *
 * @module
 */
import { errors, type ApiError } from '../meta/api-error.js';
import type { NeededAccount } from '../storage/memory-budget.js';
import { chunksLength, type ResponseBody, type StreamBody } from './http.js';

/**
 * Estimated memory of a request for each byte of its body: the body and its text, the decoded object (two to four bytes
 * for each character), and the text to store.
 */
export const BODY_COPIES = 6;

/** Memory of a reference in a list. */
const REFERENCE_BYTES = 8;

/** Memory in which a transport assembles the parts of a list, one piece after the other. */
const PIECE_BYTES = 256 * 1024;

/** Size from which a response is counted. A smaller one costs less than its connection. */
const COUNTED_RESPONSE = 16 * 1024;

/** Creates the error of a request that does not fit into the memory budget: 429, to be retried after a second. */
export function outOfMemory(): ApiError {
  return errors.tooManyRequests(
    'the memory budget of the server is used up (limits.memoryBytes, --memory-budget), please try again later',
    1,
  );
}

/** The memory of one request while it is handled. */
export class BodyMemory {
  readonly #account: NeededAccount;
  readonly #isExempt: boolean;
  #heldBytes = 0;

  /** @param isExempt whether the body is read even beyond the budget */
  constructor(account: NeededAccount, isExempt: boolean) {
    this.#account = account;
    this.#isExempt = isExempt;
  }

  /**
   * Reads a body, and counts it until {@link release}.
   *
   * @param read reads the body and calls `onChunk` with the length of each chunk before it buffers the chunk; an error
   *   that `onChunk` throws must end the read
   * @throws ApiError 429 when the body does not fit; what `read` throws
   */
  async whileReading(read: (onChunk: (bytes: number) => void) => Promise<Uint8Array>): Promise<Uint8Array> {
    let counted = 0;
    const body = await read((bytes) => {
      counted += bytes;
      this.#hold(bytes * BODY_COPIES);
    });
    // A framework has read the body before the server.
    if (body.length > counted) this.#hold((body.length - counted) * BODY_COPIES);
    return body;
  }

  /** Counts a body that has arrived, until {@link release}. @throws ApiError 429 when it does not fit */
  arrived(body: Uint8Array): void {
    this.#hold(body.length * BODY_COPIES);
  }

  /** Releases the memory of the request. */
  release(): void {
    if (this.#heldBytes > 0) this.#account.hold(-this.#heldBytes);
    this.#heldBytes = 0;
  }

  #hold(bytes: number): void {
    if (this.#isExempt) this.#account.hold(bytes);
    else if (!this.#account.tryHold(bytes)) throw outOfMemory();
    this.#heldBytes += bytes;
  }
}

/**
 * Returns the memory of a response, in bytes; 0 when it need not be counted. The texts in a list belong to the store or
 * to its history.
 */
export function responseBytes(body: ResponseBody): number {
  if (body === undefined || (typeof body === 'object' && 'stream' in body)) return 0;
  const bytes = lengthOf(body);
  return bytes < COUNTED_RESPONSE ? 0 : bytes;
}

function lengthOf(body: Exclude<ResponseBody, StreamBody | undefined>): number {
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length;
  if ('chunks' in body) return chunksLength(body);
  return body.parts.length * REFERENCE_BYTES + PIECE_BYTES;
}
