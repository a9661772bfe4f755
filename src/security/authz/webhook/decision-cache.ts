import { LruMap, type Clock } from '../../../foundation/index.js';
import type { Decision } from '../authorizer.js';

/** Options of {@link DecisionCache}. */
export interface DecisionCacheOptions {
  readonly clock: Clock;
  /** Maximum number of decisions. The least recently used is evicted first. Default 8,192, as in Kubernetes. */
  readonly size?: number | undefined;
}

interface Entry {
  readonly decision: Decision;
  /** Expiry, in milliseconds of the clock. */
  readonly until: number;
}

const DEFAULT_SIZE = 8192;

/** A cache of decisions, each with its own lifetime. */
export class DecisionCache {
  readonly #clock: Clock;
  readonly #entries: LruMap<string, Entry>;
  /** Maximum number of decisions. */
  readonly size: number;

  constructor({ clock, size = DEFAULT_SIZE }: DecisionCacheOptions) {
    this.#clock = clock;
    this.size = size;
    this.#entries = new LruMap(size);
  }

  /** Returns the decision of a key, or undefined when there is none or it has expired. */
  find(key: string): Decision | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.until > this.#clock.now()) return entry.decision;
    this.#entries.delete(key);
    return undefined;
  }

  /**
   * Stores a decision.
   *
   * @param ttlMs lifetime in milliseconds; 0 stores nothing
   */
  remember(key: string, decision: Decision, ttlMs: number): void {
    if (ttlMs <= 0 || this.size <= 0) return;
    this.#entries.set(key, { decision, until: this.#clock.now() + ttlMs });
  }
}
