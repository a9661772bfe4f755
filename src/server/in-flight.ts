/**
 * A bound on how many requests are worked on at once, so that an overload is answered quickly instead of slowing
 * everybody down. Reading and changing requests have bounds of their own; those that only wait, for the rest of their body or for a
 * version of the future, have another, and take nothing from those that work.
 *
 * @module
 */
import { errors, type ApiError } from '../meta/api-error.js';
import { definedOnly } from '../meta/defined-only.js';
import { atMost, fairShare, UserLimit } from './user-limit.js';

/** Which bound a request counts against. */
export type RequestClass = 'readOnly' | 'mutating';

/** The bounds; 0 is none. */
export interface InFlightOptions {
  /** GETs and the like. Default 400. */
  readonly maxReadOnly?: number;
  /** Requests that change something. Default 200. */
  readonly maxMutating?: number;
  /** Requests that wait for their body or for a version of the future. Default 1 000. */
  readonly maxWaiting?: number;
  /** Bytes of bodies that have not come to their end. Default 128 MiB. */
  readonly maxBodyBytes?: number;
  /**
   * The part of each bound above that one user gets who is alone, above 0 and at most 1; with more users each gets less, so that
   * something is always free. Default 0.75; 1 is no bound.
   */
  readonly userShare?: number;
}

/** How many watches there may be at once; 0 is no bound. */
export interface WatchLimits {
  /** Of all users. Default 20 000. */
  readonly max?: number;
  /** Of one user; members of `system:masters` are bound by the number of all only. Default 2 000. */
  readonly maxPerUser?: number;
}

/** The bounds of requests where the options say nothing. */
export const defaultInFlight: Required<InFlightOptions> = {
  maxReadOnly: 400,
  maxMutating: 200,
  maxWaiting: 1_000,
  maxBodyBytes: 128 * 1024 * 1024,
  userShare: 0.75,
};

/** The bounds of watches where the options say nothing. */
export const defaultWatches: Required<WatchLimits> = { max: 20_000, maxPerUser: 2_000 };

const READ_ONLY_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);
const MASTERS = 'system:masters';

/** The class of a request by its verb. */
export function requestClass(verb: string): RequestClass {
  return READ_ONLY_VERBS.has(verb) ? 'readOnly' : 'mutating';
}

/**
 * Whether a request is to be held against a bound at all. Watches are not: they last, and have their own. Nor are those of
 * `system:masters`, so that a server that is swamped can still be administered.
 */
export function isLimited(verb: string, groups: readonly string[]): boolean {
  return verb !== 'watch' && !groups.includes(MASTERS);
}

/** The answer to a request for which there is no room: 429, to be tried again in a second. */
export function tooManyRequests(): ApiError {
  return errors.tooManyRequests('Too many requests, please try again later.', 1);
}

/** Counts the requests that are being worked on, those that wait, and the bytes of their bodies. */
export class InFlightLimiter {
  readonly #working: Readonly<Record<RequestClass, UserLimit>>;
  readonly #waiting: UserLimit;
  readonly #bodyBytes: UserLimit;

  /** @throws RangeError for a share that is not above 0 and at most 1 */
  constructor(options: InFlightOptions = {}) {
    const { maxReadOnly, maxMutating, maxWaiting, maxBodyBytes, userShare } = {
      ...defaultInFlight,
      ...definedOnly(options),
    };
    if (!(userShare > 0 && userShare <= 1))
      throw new RangeError(`limits.inFlight.userShare is ${userShare}: it must be above 0 and at most 1, such as 0.75`);
    const share = fairShare(userShare);
    this.#working = { readOnly: new UserLimit(maxReadOnly, share), mutating: new UserLimit(maxMutating, share) };
    this.#waiting = new UserLimit(maxWaiting, share);
    this.#bodyBytes = new UserLimit(maxBodyBytes, share);
  }

  /**
   * Takes a place for a request of a user.
   *
   * @throws ApiError 429 when there is none
   */
  enter(kind: RequestClass, user: string): Place {
    return new Place(this.#working[kind], this.#waiting, this.#bodyBytes, user);
  }

  /** Requests being worked on, by class, and requests that wait. */
  get current(): Readonly<Record<RequestClass | 'waiting', number>> {
    return {
      readOnly: this.#working.readOnly.total,
      mutating: this.#working.mutating.total,
      waiting: this.#waiting.total,
    };
  }
}

/** The place of one request among those that are worked on. */
export class Place {
  readonly #working: UserLimit;
  readonly #waiting: UserLimit;
  readonly #bodyBytes: UserLimit;
  readonly #user: string;
  #held = false;

  /** @throws ApiError 429 */
  constructor(working: UserLimit, waiting: UserLimit, bodyBytes: UserLimit, user: string) {
    this.#working = working;
    this.#waiting = waiting;
    this.#bodyBytes = bodyBytes;
    this.#user = user;
    this.#enter();
  }

  /**
   * Leaves the place to others for as long as the request only waits.
   *
   * @throws ApiError 429 when too many wait, or when there is no place afterwards; what `wait` throws
   */
  async whileWaiting<Result>(wait: () => Promise<Result>): Promise<Result> {
    if (!this.#waiting.take(this.#user)) throw tooManyRequests();
    this.leave();
    let result: Result;
    try {
      result = await wait();
    } finally {
      this.#waiting.give(this.#user);
    }
    this.#enter();
    return result;
  }

  /**
   * Reads a body; its bytes count until all of them are there.
   *
   * @param read is given what to tell of the bytes of each chunk before it is kept; that throws, and what it throws ends the reading
   * @throws ApiError 429 when bodies on their way are too long together; what `read` throws
   */
  async whileReading(read: (onChunk: (bytes: number) => void) => Promise<Uint8Array>): Promise<Uint8Array> {
    let taken = 0;
    const onChunk = (bytes: number): void => {
      if (!this.#bodyBytes.take(this.#user, bytes)) throw tooManyRequests();
      taken += bytes;
    };
    try {
      return await this.whileWaiting(() => read(onChunk));
    } finally {
      if (taken > 0) this.#bodyBytes.give(this.#user, taken);
    }
  }

  /** Gives the place back, if the request has it. */
  leave(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#working.give(this.#user);
  }

  #enter(): void {
    if (!this.#working.take(this.#user)) throw tooManyRequests();
    this.#held = true;
  }
}

/** Counts the watches that are open. */
export class WatchLimiter {
  readonly #limit: UserLimit;

  constructor(options: WatchLimits = {}) {
    const { max, maxPerUser } = { ...defaultWatches, ...definedOnly(options) };
    // Without a number for all, that for each user still counts.
    this.#limit = new UserLimit(max === 0 ? Number.MAX_SAFE_INTEGER : max, atMost(maxPerUser));
  }

  /** Watches that are open. */
  get current(): number {
    return this.#limit.total;
  }

  /**
   * Counts a watch.
   *
   * @returns what is called when it has ended; only the first call counts
   * @throws ApiError 429 when there are too many
   */
  enter(user: string, groups: readonly string[]): () => void {
    if (!this.#limit.take(user, 1, groups.includes(MASTERS))) throw tooManyRequests();
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      this.#limit.give(user);
    };
  }
}
