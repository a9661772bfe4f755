/**
 * The memory of requests in flight: bodies that are read and worked on, and responses that are written. It counts
 * against the memory budget of the server. What does not fit is refused, because it cannot be given up.
 *
 * @module
 */
import { errors, goQuote, type ApiError } from '../../foundation/index.js';
import type { NeededAccount } from '../../storage/index.js';
import type { MemoryRefusal } from '../metrics/memory-metrics.js';
import {
  chunksLength,
  isStream,
  PART_BYTES,
  textLength,
  type ResponseBody,
  type StreamBody,
} from '../requests/http.js';
import { fairShare } from './user-limit.js';

/**
 * Memory that a request usually needs for each byte of its body: the body and its text, the decoded object, and the text
 * to store. A memory budget must have room for one body of the maximum size.
 */
export const BODY_COPIES = 6;

/** Memory in which a transport assembles the parts of a list, one piece after the other. */
const PIECE_BYTES = 256 * 1024;

/** Size from which a response is counted. A smaller one costs less than its connection. */
const COUNTED_RESPONSE = 16 * 1024;

/** Memory that a small request may reserve in all, in bytes. */
const SMALL_BYTES = 64 * 1024;

/** Memory that is kept for small requests, in bytes: at most 4 MiB, and a sixteenth of a small budget. */
const KEPT_BYTES = 4 * 1024 * 1024;
const KEPT_SHARE = 1 / 16;

/** A user holds at most as much as remains free: half of it when no other user holds any. */
const mayHold = fairShare(0.5);

/** Creates the error of a request that does not fit into the memory budget: 429, to be retried after a second. */
function outOfMemory(forWhom: string): ApiError {
  return errors.tooManyRequests(
    `the memory budget of the server is used up${forWhom} (limits.memoryBytes, --memory-budget), please try again later`,
    1,
  );
}

/** The memory of the requests of a server, with the share of each user. */
export class RequestMemory {
  readonly #account: NeededAccount;
  readonly #keptBytes: number;
  /** Bytes that users hold; only of those who hold any. */
  readonly #held = new Map<string, number>();
  readonly #refused: (reason: MemoryRefusal) => void;

  /**
   * @param account account of the requests
   * @param memoryBytes the whole budget
   * @param refused called when a request gets no memory
   */
  constructor(account: NeededAccount, memoryBytes: number, refused: (reason: MemoryRefusal) => void = () => undefined) {
    this.#refused = refused;
    this.#account = account;
    this.#keptBytes = Math.min(KEPT_BYTES, memoryBytes * KEPT_SHARE);
  }

  /**
   * Reserves memory for a request.
   *
   * @param held what the request holds already
   * @throws ApiError 429
   */
  reserve({ user, isShareExempt }: ReservationOwner, bytes: number, held: number): void {
    const free = this.#account.freeBytes - bytes;
    const kept = held + bytes <= SMALL_BYTES ? 0 : this.#keptBytes;
    if (free < kept) throw this.#outOfBudget();
    const before = this.#held.get(user) ?? 0;
    // The only request of a user gets what is free: it would be refused each time.
    if (!isShareExempt && before > held && !mayHold(before + bytes, free)) {
      this.#refused('user');
      throw outOfMemory(` for user ${goQuote(user)}`);
    }
    if (!this.#account.tryHold(bytes)) throw this.#outOfBudget();
    this.#held.set(user, before + bytes);
  }

  #outOfBudget(): ApiError {
    this.#refused('budget');
    return outOfMemory('');
  }

  /** Counts memory of a user, even beyond the budget; a negative number releases it. */
  hold(user: string, bytes: number): void {
    this.#account.hold(bytes);
    const held = (this.#held.get(user) ?? 0) + bytes;
    if (held > 0) this.#held.set(user, held);
    else this.#held.delete(user);
  }
}

/** The user whose memory a request reserves, and the limits that apply to it. */
export interface ReservationOwner {
  readonly user: string;
  /** Whether only the whole budget limits it, not the share of its user. */
  readonly isShareExempt: boolean;
  /** Whether nothing limits it: it frees memory, or shows how the server is. */
  readonly isExempt: boolean;
}

/** The memory of one request, from its start until its response has been written. */
export class Reservation {
  readonly #memory: RequestMemory;
  readonly #owner: ReservationOwner;
  #heldBytes = 0;
  #hasEnded = false;

  constructor(memory: RequestMemory, owner: ReservationOwner) {
    this.#memory = memory;
    this.#owner = owner;
  }

  /** Bytes that the request holds. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Reserves memory before it is allocated, until {@link release} or {@link end}. Does nothing after the end.
   *
   * @param bytes upper estimate
   * @throws ApiError 429 when it does not fit into the budget, or into the share of the user
   */
  reserve(bytes: number): void {
    if (this.#owner.isExempt) {
      this.hold(bytes);
      return;
    }
    if (this.#hasEnded) return;
    this.#memory.reserve(this.#owner, bytes, this.#heldBytes);
    this.#heldBytes += bytes;
  }

  /** Counts memory that cannot be refused any more, even beyond the budget. Does nothing after the end. */
  hold(bytes: number): void {
    if (this.#hasEnded) return;
    this.#memory.hold(this.#owner.user, bytes);
    this.#heldBytes += bytes;
  }

  /** Releases a part of what is reserved; at most all of it. */
  release(bytes: number): void {
    const released = Math.min(bytes, this.#heldBytes);
    if (released === 0) return;
    this.#heldBytes -= released;
    this.#memory.hold(this.#owner.user, -released);
  }

  /** Releases everything. */
  end(): void {
    this.release(this.#heldBytes);
    this.#hasEnded = true;
  }
}

/**
 * Returns the memory of a response, in bytes; 0 when it need not be counted. The stored texts in a list belong to the
 * store or to its history.
 */
export function responseBytes(body: ResponseBody): number {
  if (body === undefined) return 0;
  const bytes = isStream(body) ? (body.heldBytes ?? 0) : lengthOf(body);
  return bytes < COUNTED_RESPONSE ? 0 : bytes;
}

/**
 * Returns the length of the texts of the store that a response refers to until it has been sent, in characters: a change
 * of the store leaves them to the response.
 */
export function storedLength(body: ResponseBody): number {
  if (typeof body !== 'object') return 0;
  if (isStream(body)) return body.storedLength ?? 0;
  return 'parts' in body && body.heldBytes === undefined ? textLength(body) : 0;
}

function lengthOf(body: Exclude<ResponseBody, StreamBody | undefined>): number {
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length;
  if ('chunks' in body) return chunksLength(body);
  return body.parts.length * PART_BYTES + PIECE_BYTES + (body.heldBytes ?? 0);
}
