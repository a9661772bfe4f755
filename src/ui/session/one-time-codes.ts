import { encodeBase64Url, type Clock, type Entropy } from '../../foundation/index.js';

/** Length of a code, in bytes. */
const BYTES = 32;
/** How long a code is valid. */
const VALID_MS = 5 * 60_000;
/** The most codes that are valid at a time; a further one replaces the oldest. */
const MOST = 100;

/** Codes that open the page once, within five minutes. */
export class OneTimeCodes {
  /** The ends of the codes, in the order in which they were made. */
  readonly #ends = new Map<string, number>();

  /** Makes a code. */
  make(clock: Clock, entropy: Entropy): string {
    const code = encodeBase64Url(entropy.bytes(BYTES));
    const [oldest] = this.#ends.keys();
    if (this.#ends.size >= MOST && oldest !== undefined) this.#ends.delete(oldest);
    this.#ends.set(code, clock.now() + VALID_MS);
    return code;
  }

  /** Returns whether a code is valid; it is not any more afterwards. */
  redeem(code: string, nowMs: number): boolean {
    const end = this.#ends.get(code);
    return this.#ends.delete(code) && end !== undefined && nowMs < end;
  }
}
