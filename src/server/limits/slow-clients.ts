import type { Clock } from '../../foundation/index.js';
import type { MemoryAccount, MemoryBudget } from '../../storage/index.js';

/**
 * Time for which a client may leave an event unread before it counts as slow, in milliseconds. Every client blocks its
 * watch for a moment when an event is large.
 */
const SLOW_MS = 1000;

/** A client that has not taken the last event of its watch. */
interface Blocked {
  readonly since: number;
  readonly bytes: number;
  drop(): void;
}

/**
 * The clients of watches that have not taken their last event. What the transports hold for them counts against the
 * memory budget. When memory is short, the slow ones are dropped, the slowest first: they can watch again from the
 * version that they have seen.
 */
export class SlowClients {
  readonly #clock: Clock;
  readonly #account: MemoryAccount;
  /** In the order in which they were blocked. */
  readonly #blocked = new Set<Blocked>();

  constructor(budget: MemoryBudget, clock: Clock) {
    this.#clock = clock;
    this.#account = budget.openCache('watchBuffers', (bytes) => this.#dropSlowest(bytes));
  }

  /**
   * Counts what a transport holds for a client. Bound, so that it can be passed as a function.
   *
   * @param drop closes the connection of the client
   * @returns a function to call when the client has taken everything, or is gone
   */
  readonly add = (bytes: number, drop: () => void): (() => void) => {
    const blocked = { since: this.#clock.now(), bytes, drop };
    this.#blocked.add(blocked);
    this.#account.hold(bytes);
    return () => this.#remove(blocked);
  };

  #remove(blocked: Blocked): void {
    if (this.#blocked.delete(blocked)) this.#account.hold(-blocked.bytes);
  }

  #dropSlowest(bytes: number): void {
    const target = this.#account.usedBytes - bytes;
    const before = this.#clock.now() - SLOW_MS;
    for (const blocked of this.#blocked) {
      if (this.#account.usedBytes <= target || blocked.since > before) return;
      this.#remove(blocked);
      blocked.drop();
    }
  }
}
