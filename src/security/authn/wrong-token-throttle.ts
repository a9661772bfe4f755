import { definedOnly, LruMap, networkOf, type Clock } from '../../foundation/index.js';

/** Maximum number of wrong tokens per minute; 0 means no limit. */
export interface WrongTokenLimits {
  /** Per IPv4 address or IPv6 /64 network. Default 20. */
  readonly perSource?: number | undefined;
  /** Total. Default 200. */
  readonly inAll?: number | undefined;
}

/** Default limits. */
export const defaultWrongTokens = { perSource: 20, inAll: 200 } satisfies WrongTokenLimits;

/** Maximum number of stored sources. The source with the oldest wrong token is evicted first. */
const MAX_SOURCES = 1_000;
const MINUTE_MS = 60_000;

/** A token bucket: allows a burst, and the same number per minute. */
class Bucket {
  readonly #perMinute: number;
  #left: number;
  #at: number | undefined;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
    this.#left = perMinute;
  }

  /**
   * Takes one unit.
   *
   * @returns 0 when a unit was taken; otherwise milliseconds until the next one
   */
  take(now: number): number {
    if (this.#perMinute === 0) return 0;
    this.#left = Math.min(
      this.#perMinute,
      this.#left + (Math.max(0, now - (this.#at ?? now)) * this.#perMinute) / MINUTE_MS,
    );
    this.#at = now;
    if (this.#left < 1) return ((1 - this.#left) * MINUTE_MS) / this.#perMinute;
    this.#left -= 1;
    return 0;
  }
}

/**
 * Counts wrong tokens per source and in total. Only requests with a wrong token are throttled, so guessing cannot block
 * users with a valid token, even from the same address.
 */
export class WrongTokenThrottle {
  readonly #clock: Clock;
  readonly #perSource: number;
  readonly #all: Bucket;
  readonly #sources = new LruMap<string, Bucket>(MAX_SOURCES);

  constructor(clock: Clock, options: WrongTokenLimits = {}) {
    const { perSource, inAll } = { ...defaultWrongTokens, ...definedOnly(options) };
    this.#clock = clock;
    this.#perSource = perSource;
    this.#all = new Bucket(inAll);
  }

  /** Number of stored sources. */
  get sources(): number {
    return this.#sources.size;
  }

  /**
   * Counts a wrong token.
   *
   * @param address source address; undefined when unknown
   * @returns seconds until the client can retry; 0 below the limit
   */
  wrong(address: string | undefined): number {
    const now = this.#clock.now();
    const waitMs = Math.max(
      address === undefined ? 0 : this.#source(networkOf(address)).take(now),
      this.#all.take(now),
    );
    return Math.ceil(waitMs / 1000);
  }

  #source(name: string): Bucket {
    return this.#sources.use(name, () => new Bucket(this.#perSource));
  }
}
