import type { Clock } from '../../meta/clock.js';
import type { Decision } from '../authorizer.js';

/** How a {@link DecisionCache} works. */
export interface DecisionCacheOptions {
  readonly clock: Clock;
  /** Decisions that are kept at most; what was not asked for longest goes first. Default 8,192, as in the production system. */
  readonly size?: number | undefined;
}

interface Entry {
  readonly decision: Decision;
  /** From this time on it counts no more. */
  readonly until: number;
}

const DEFAULT_SIZE = 8192;

/** Decisions by a key, each for a time of its own. */
export class DecisionCache {
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();
  /** Decisions that are kept at most. */
  readonly size: number;

  constructor({ clock, size = DEFAULT_SIZE }: DecisionCacheOptions) {
    this.#clock = clock;
    this.size = size;
  }

  /** The decision that holds now, if there is one. */
  find(key: string): Decision | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= this.#clock.now()) return undefined;
    // Back in as the youngest: the oldest of a Map is the first.
    this.#entries.set(key, entry);
    return entry.decision;
  }

  /** Keeps a decision. @param ttlMs how long it counts; 0 keeps nothing */
  remember(key: string, decision: Decision, ttlMs: number): void {
    if (ttlMs <= 0 || this.size <= 0) return;
    this.#entries.delete(key);
    if (this.#entries.size >= this.size) this.#entries.delete(this.#entries.keys().next().value ?? '');
    this.#entries.set(key, { decision, until: this.#clock.now() + ttlMs });
  }
}
