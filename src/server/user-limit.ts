/**
 * Bounds on what is held at once, by all users together and by each, so that nobody takes it all.
 *
 * @module
 */

/**
 * Whether a user may hold as much.
 *
 * @param held what the user would hold with what is asked for
 * @param free what nobody would hold then
 */
export type UserShare = (held: number, free: number) => boolean;

/**
 * Gives one user at most a part of everything, and less the more is taken by others: what a user holds stays below a multiple of what is
 * free. So there is always something free, for whoever comes next, however many users take as much as they get. The rule is that of
 * dynamic thresholds for shared buffers (Choudhury and Hahne, 1998).
 *
 * @param share the part that a user gets who is alone, above 0 and at most 1; 1 is no bound
 */
export function fairShare(share: number): UserShare {
  if (share >= 1) return () => true;
  const multiple = share / (1 - share);
  return (held, free) => held <= multiple * free;
}

/** Gives each user the same number; 0 is no bound. */
export function atMost(number: number): UserShare {
  return (held) => number === 0 || held <= number;
}

/** Counts what users hold. Memory grows with the users who hold something, so with the bound. */
export class UserLimit {
  readonly #max: number;
  readonly #mayHold: UserShare;
  readonly #held = new Map<string, number>();
  #total = 0;

  /** @param max what all users may hold together; 0 is no bound, also not for one user */
  constructor(max: number, mayHold: UserShare) {
    this.#max = max;
    this.#mayHold = mayHold;
  }

  /** What all users hold together. */
  get total(): number {
    return this.#total;
  }

  /**
   * Takes something for a user. Who holds nothing gets it as long as there is any.
   *
   * @param exempt whether the share of the user does not count, only the bound for all
   * @returns false, and takes nothing, when there is no more
   */
  take(user: string, amount = 1, exempt = false): boolean {
    const before = this.#held.get(user) ?? 0;
    if (this.#max > 0) {
      const free = this.#max - this.#total - amount;
      if (free < 0 || (before > 0 && !exempt && !this.#mayHold(before + amount, free))) return false;
    }
    this.#held.set(user, before + amount);
    this.#total += amount;
    return true;
  }

  /** Gives back what was taken. */
  give(user: string, amount = 1): void {
    const left = (this.#held.get(user) ?? 0) - amount;
    if (left > 0) this.#held.set(user, left);
    else this.#held.delete(user);
    this.#total -= amount;
  }
}
