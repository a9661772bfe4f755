/**
 * Limits of requests in flight: under overload the server refuses requests quickly instead of slowing all of them down.
 * Read-only and mutating requests have separate limits. Requests that only wait, for the rest of their body or for a
 * future resource version, have a third limit and do not count against the first two.
 *
 * @module
 */
import { definedOnly, errors, type ApiError } from '../../foundation/index.js';
import { InitialStates } from '../operations/initial-states.js';
import { atMost, fairShare, UserLimit } from './user-limit.js';

/** The limit that a request counts against. */
export type RequestClass = 'readOnly' | 'mutating';

/** Limits of requests in flight; 0 means no limit. */
export interface InFlightOptions {
  /** Maximum number of read-only requests. Default 400. */
  readonly maxReadOnly?: number | undefined;
  /** Maximum number of mutating requests. Default 200. */
  readonly maxMutating?: number | undefined;
  /** Maximum number of requests that wait for their body or for a future resource version. Default 1,000. */
  readonly maxWaiting?: number | undefined;
  /** Maximum total size of incomplete bodies, in bytes. Default 128 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Maximum share of each limit above for a single active user, above 0 and at most 1. With more users each gets less,
   * so some capacity is always free. Default 0.75; 1 means no limit per user.
   */
  readonly userShare?: number | undefined;
}

/** Limits of open watches; 0 means no limit. */
export interface WatchLimits {
  /** Maximum for all users together. Default 20,000. */
  readonly max?: number | undefined;
  /** Maximum per user. Members of `system:masters` are subject to the limit for all users only. Default 2,000. */
  readonly maxPerUser?: number | undefined;
  /** Maximum number of watches of a user whose initial state is being sent; the others wait in order. Default 8. */
  readonly initialStatesPerUser?: number | undefined;
}

/** Default limits of requests in flight. */
export const defaultInFlight = {
  maxReadOnly: 400,
  maxMutating: 200,
  maxWaiting: 1_000,
  maxBodyBytes: 128 * 1024 * 1024,
  userShare: 0.75,
} satisfies InFlightOptions;

/** Default limits of watches. */
export const defaultWatches = {
  max: 20_000,
  maxPerUser: 2_000,
  initialStatesPerUser: 8,
} satisfies WatchLimits;

const READ_ONLY_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch', 'head', 'options']);
const MASTERS = 'system:masters';

/** Returns the class of a request by its verb. */
export function requestClass(verb: string): RequestClass {
  return READ_ONLY_VERBS.has(verb) ? 'readOnly' : 'mutating';
}

/**
 * Returns whether the limits apply to a request. Watches are long-running and have their own limits. Requests of
 * `system:masters` are exempt, so an overloaded server can still be administered.
 */
export function isLimited(verb: string, groups: readonly string[]): boolean {
  return verb !== 'watch' && !groups.includes(MASTERS);
}

/** Creates the error of a request beyond the limits: 429, to be retried after a second. */
export function tooManyRequests(): ApiError {
  return errors.tooManyRequests('Too many requests, please try again later.', 1);
}

/** Counts the requests in flight, the waiting requests, and the bytes of their bodies. */
export class InFlightLimiter {
  readonly #working: Readonly<Record<RequestClass, UserLimit>>;
  readonly #waiting: UserLimit;
  readonly #bodyBytes: UserLimit;

  /** @throws RangeError for a user share that is not above 0 and at most 1 */
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
   * Acquires a slot for a request of a user.
   *
   * @throws ApiError 429 when no slot is free
   */
  enter(kind: RequestClass, user: string): InFlightSlot {
    const place = new CountedPlace(this.#working[kind], user);
    place.take();
    return this.slot(place, user);
  }

  /** Returns the slot of a request that has a place already, which is not one of this limiter. */
  slot(place: RequestPlace, user: string): InFlightSlot {
    return new InFlightSlot(place, this.#waiting, this.#bodyBytes, user);
  }

  /** Numbers of requests in flight, by class, and of waiting requests. */
  get current(): Readonly<Record<RequestClass | 'waiting', number>> {
    return {
      readOnly: this.#working.readOnly.total,
      mutating: this.#working.mutating.total,
      waiting: this.#waiting.total,
    };
  }
}

/** The place of a request among those that are worked on. It has it until it leaves. */
export interface RequestPlace {
  /** Takes the place again. @returns a promise when it has to wait for it; @throws ApiError 429 */
  take(): Promise<void> | undefined;
  /** Gives the place up, if the request has it. */
  leave(): void;
}

/** A place in a limit. */
class CountedPlace implements RequestPlace {
  readonly #limit: UserLimit;
  readonly #user: string;
  #held = false;

  constructor(limit: UserLimit, user: string) {
    this.#limit = limit;
    this.#user = user;
  }

  take(): undefined {
    if (!this.#limit.acquire(this.#user)) throw tooManyRequests();
    this.#held = true;
  }

  leave(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#limit.release(this.#user);
  }
}

/** The slot of one request in flight. */
export class InFlightSlot {
  readonly #place: RequestPlace;
  readonly #waiting: UserLimit;
  readonly #bodyBytes: UserLimit;
  readonly #user: string;

  constructor(place: RequestPlace, waiting: UserLimit, bodyBytes: UserLimit, user: string) {
    this.#place = place;
    this.#waiting = waiting;
    this.#bodyBytes = bodyBytes;
    this.#user = user;
  }

  /**
   * Releases the slot while the request only waits, and acquires it again afterwards.
   *
   * @throws ApiError 429 when too many requests wait, or when no slot is free afterwards; what `wait` throws
   */
  async whileWaiting<Result>(wait: () => Promise<Result>): Promise<Result> {
    if (!this.#waiting.acquire(this.#user)) throw tooManyRequests();
    this.leave();
    let result: Result;
    try {
      result = await wait();
    } finally {
      this.#waiting.release(this.#user);
    }
    await this.#place.take();
    return result;
  }

  /**
   * Reads a body. Its bytes count against the limit until the body is complete.
   *
   * @param read reads the body and calls `onChunk` with the length of each chunk before it buffers the chunk; an error
   *   that `onChunk` throws must end the read
   * @throws ApiError 429 when the incomplete bodies exceed the limit; what `read` throws
   */
  async whileReading(read: (onChunk: (bytes: number) => void) => Promise<Uint8Array>): Promise<Uint8Array> {
    let taken = 0;
    const onChunk = (bytes: number): void => {
      if (!this.#bodyBytes.acquire(this.#user, bytes)) throw tooManyRequests();
      taken += bytes;
    };
    try {
      return await this.whileWaiting(() => read(onChunk));
    } finally {
      if (taken > 0) this.#bodyBytes.release(this.#user, taken);
    }
  }

  /** Releases the slot if the request holds it. */
  leave(): void {
    this.#place.leave();
  }
}

/** Counts the open watches. */
export class WatchLimiter {
  readonly #limit: UserLimit;
  /** The initial states of the watches. */
  readonly initialStates: InitialStates;

  constructor(options: WatchLimits = {}) {
    const { max, maxPerUser, initialStatesPerUser } = { ...defaultWatches, ...definedOnly(options) };
    this.initialStates = new InitialStates(initialStatesPerUser);
    // The limit per user applies even without a limit for all users.
    this.#limit = new UserLimit(max === 0 ? Number.MAX_SAFE_INTEGER : max, atMost(maxPerUser));
  }

  /** Number of open watches. */
  get current(): number {
    return this.#limit.total;
  }

  /**
   * Counts a watch.
   *
   * @returns a function to call when the watch has ended; only the first call counts
   * @throws ApiError 429 when too many watches are open
   */
  enter(user: string, groups: readonly string[]): () => void {
    if (!this.#limit.acquire(user, 1, groups.includes(MASTERS))) throw tooManyRequests();
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      this.#limit.release(user);
    };
  }
}
