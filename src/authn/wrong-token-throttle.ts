import type { Clock } from '../meta/clock.js';
import { definedOnly } from '../meta/defined-only.js';

/** Wrong tokens in a minute that are answered as any are; 0 is no bound. */
export interface WrongTokenLimits {
  /** From one address, or one IPv6 network of 64 bits. Default 20. */
  readonly perSource?: number;
  /** From all together. Default 200. */
  readonly inAll?: number;
}

/** The bounds where the options say nothing. */
export const defaultWrongTokens: Required<WrongTokenLimits> = { perSource: 20, inAll: 200 };

/** Addresses that are remembered at most; whose last wrong token is longest ago is forgotten first. */
const MAX_SOURCES = 1_000;
const MINUTE_MS = 60_000;

/** Lets through a number at once, and the same number in each minute. */
class Bucket {
  readonly #perMinute: number;
  #left: number;
  #at: number | undefined;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
    this.#left = perMinute;
  }

  /** @returns milliseconds until there would be one; 0 when there was, and it is taken */
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
 * Counts wrong tokens, for each source and in all. Only those who are wrong are told to wait: who guesses cannot keep anybody out whose
 * token is right, not even behind the same address.
 */
export class WrongTokenThrottle {
  readonly #clock: Clock;
  readonly #perSource: number;
  readonly #all: Bucket;
  readonly #sources = new Map<string, Bucket>();

  constructor(clock: Clock, options: WrongTokenLimits = {}) {
    const { perSource, inAll } = { ...defaultWrongTokens, ...definedOnly(options) };
    this.#clock = clock;
    this.#perSource = perSource;
    this.#all = new Bucket(inAll);
  }

  /** Sources that are remembered. */
  get sources(): number {
    return this.#sources.size;
  }

  /**
   * Counts a wrong token.
   *
   * @param address where it came from; undefined where nobody knows
   * @returns seconds after which its sender may try again; 0 while there have not been too many
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
    const bucket = this.#sources.get(name) ?? new Bucket(this.#perSource);
    // The last one is at the end.
    this.#sources.delete(name);
    this.#sources.set(name, bucket);
    const [oldest] = this.#sources.keys();
    if (this.#sources.size > MAX_SOURCES && oldest !== undefined) this.#sources.delete(oldest);
    return bucket;
  }
}

/** An IPv4 address, or the network of an IPv6 address that one customer usually has. */
function networkOf(address: string): string {
  const mapped = /^::ffff:([0-9.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address;
  const [head = '', tail] = address.toLowerCase().split('%', 1).join('').split('::');
  const groups = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - after.length);
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...after]
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
