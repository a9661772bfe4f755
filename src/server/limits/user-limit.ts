/**
 * Limits for all users together and for each user, so that no user takes all capacity.
 *
 * @module
 */

/**
 * Returns whether a user may hold an amount.
 *
 * @param held amount that the user would hold after the request
 * @param free amount that would be free then
 */
export type UserShare = (held: number, free: number) => boolean;

/**
 * Limits each user to a multiple of the free capacity: the more the others hold, the less a user gets. So some capacity
 * is always free for the next user. This is the dynamic-threshold rule for shared buffers (Choudhury and Hahne, 1998).
 *
 * @param share maximum share of a single active user, above 0 and at most 1; 1 means no limit
 */
export function fairShare(share: number): UserShare {
  if (share >= 1) return () => true;
  const multiple = share / (1 - share);
  return (held, free) => held <= multiple * free;
}

/** Limits each user to the same number; 0 means no limit. */
export function atMost(number: number): UserShare {
  return (held) => number === 0 || held <= number;
}

/**
 * Counts the amounts that users hold. Its memory is proportional to the users that hold something, hence bounded by the
 * limit.
 */
export class UserLimit {
  readonly #max: number;
  readonly #mayHold: UserShare;
  readonly #held = new Map<string, number>();
  #total = 0;

  /** @param max maximum for all users together; 0 means no limit, not even per user */
  constructor(max: number, mayHold: UserShare) {
    this.#max = max;
    this.#mayHold = mayHold;
  }

  /** Amount that all users hold together. */
  get total(): number {
    return this.#total;
  }

  /**
   * Acquires an amount for a user. A user who holds nothing gets it as long as it is free.
   *
   * @param exempt whether only the limit for all users applies, not the user's share
   * @returns false when the limit is reached; then nothing is acquired
   */
  acquire(user: string, amount = 1, exempt = false): boolean {
    const before = this.#held.get(user) ?? 0;
    if (this.#max > 0) {
      const free = this.#max - this.#total - amount;
      if (free < 0 || (before > 0 && !exempt && !this.#mayHold(before + amount, free))) return false;
    }
    this.#held.set(user, before + amount);
    this.#total += amount;
    return true;
  }

  /** Releases an acquired amount. */
  release(user: string, amount = 1): void {
    const left = (this.#held.get(user) ?? 0) - amount;
    if (left > 0) this.#held.set(user, left);
    else this.#held.delete(user);
    this.#total -= amount;
  }
}
