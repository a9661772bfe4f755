import { LruMap, type Clock } from '../../foundation/index.js';

/** Maximum number of keys that are remembered; the least recent is forgotten first. */
const MAX_KEYS = 4096;

/**
 * Returns what a remembered event counts towards the number of those that are remembered: one with a long message as
 * many short ones.
 *
 * @param characters length of its texts
 */
export const eventWeight = (characters: number): number => 1 + (characters >> 10);

/** Number of events about one object that are written in a burst. */
const BURST = 25;
/** Time after which one more event about an object may be written, in milliseconds. */
const REFILL_MS = 300_000;

/** Number of similar events with different messages after which they are combined. */
const MAX_SIMILAR = 10;
/** Time after which similar events are counted again, in milliseconds. */
const SIMILAR_MS = 600_000;

/**
 * Limits the events that a component writes about one object: a burst of 25, then one in five minutes. Source: the spam
 * filter of client-go.
 */
export class EventBudgets {
  readonly #clock: Clock;
  readonly #budgets = new LruMap<string, { tokens: number; atMs: number }>(MAX_KEYS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns whether an event may be written, which it counts. */
  spend(key: string): boolean {
    const now = this.#clock.now();
    const budget = this.#budgets.use(key, () => ({ tokens: BURST, atMs: now }));
    budget.tokens = Math.min(BURST, budget.tokens + (now - budget.atMs) / REFILL_MS);
    budget.atMs = now;
    if (budget.tokens < 1) return false;
    budget.tokens -= 1;
    return true;
  }
}

/** Events that differ by their messages only. */
interface EventGroup {
  readonly messages: Set<string>;
  /** Length of all texts. */
  characters: number;
  lastMs: number;
}

/**
 * Decides which events are combined: those that differ from ten others, within ten minutes, by their message only.
 * Source: the aggregator of client-go.
 */
export class EventAggregates {
  readonly #clock: Clock;
  readonly #groups = new LruMap<string, EventGroup>(MAX_KEYS, { weigh: ({ characters }) => eventWeight(characters) });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts an event, and returns whether it is combined with the similar ones. */
  add(key: string, message: string): boolean {
    const now = this.#clock.now();
    const known = this.#groups.get(key);
    const group =
      known === undefined || now - known.lastMs > SIMILAR_MS
        ? { messages: new Set<string>(), characters: key.length, lastMs: now }
        : known;
    group.lastMs = now;
    if (!group.messages.has(message)) {
      // One message stays free for the next event: the memory is bounded.
      if (group.messages.size === MAX_SIMILAR - 1) return true;
      group.messages.add(message);
      group.characters += message.length;
    }
    // Its weight may have changed.
    this.#groups.set(key, group);
    return false;
  }
}
