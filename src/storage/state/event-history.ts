import { defaultHistoryBytes, ENTRY_BYTES, type HistoryBudget } from '../history-budget.js';
import type { Revision, StorageEvent } from '../storage.js';

/** Limits of the history. */
export interface HistoryLimits {
  /** Maximum age of an event, in milliseconds. */
  readonly historyMs: number;
  /** Maximum number of events. */
  readonly maxEvents: number;
  /**
   * Maximum bytes of the events, with the texts that only the history still holds: superseded versions and the last
   * versions of deleted keys. Undefined: the limit of the shared budget, or {@link defaultHistoryBytes} without one.
   */
  readonly maxBytes: number | undefined;
}

const INITIAL_CAPACITY = 64;

/** Returns the bytes that an event keeps in memory. Stored texts are ASCII. */
function bytesHeldBy(event: StorageEvent): number {
  return ENTRY_BYTES + (event.previous?.text.length ?? 0) + (event.type === 'delete' ? event.record.text.length : 0);
}

/**
 * The writes that are not compacted, oldest first, with their times, in a ring buffer. A revision may have no event, or
 * several that happened together.
 */
export class EventHistory {
  readonly #limits: HistoryLimits;
  readonly #forgotten: ((event: StorageEvent) => void) | undefined;
  #events: (StorageEvent | undefined)[] = new Array<StorageEvent | undefined>(INITIAL_CAPACITY).fill(undefined);
  #times = new Float64Array(INITIAL_CAPACITY);
  #start = 0;
  #count = 0;
  #lastTime = -Infinity;
  #bytes = 0;
  #maxBytes: number;
  #budget: HistoryBudget | undefined;
  #compacted: Revision = 0;

  /** @param forgotten called with each dropped event */
  constructor(limits: HistoryLimits, forgotten?: (event: StorageEvent) => void) {
    this.#limits = limits;
    this.#maxBytes = limits.maxBytes ?? defaultHistoryBytes();
    this.#forgotten = forgotten;
  }

  /** Number of events kept. */
  get size(): number {
    return this.#count;
  }

  /** The oldest readable revision. */
  get compactedRevision(): Revision {
    return this.#compacted;
  }

  /** The oldest event; undefined when there is none. */
  get oldest(): StorageEvent | undefined {
    return this.#events[this.#start];
  }

  /** Counts the events against a shared budget; undefined ends that. */
  countAgainst(budget: HistoryBudget | undefined): void {
    if (this.#budget !== undefined) this.#forEach((event) => this.#budget?.release(event));
    this.#budget = budget;
    this.#maxBytes = this.#limits.maxBytes ?? (budget === undefined ? defaultHistoryBytes() : Infinity);
    if (budget !== undefined) this.#forEach((event) => budget.hold(event));
  }

  /**
   * Adds the event of the next revision, made at `now`, and drops events beyond the limits. The limit on bytes never
   * drops the newest event.
   */
  append(event: StorageEvent, now: number): void {
    if (this.#count === this.#events.length) this.#resize(this.#count * 2);
    // A wall clock may step back; the times must not.
    this.#lastTime = Math.max(this.#lastTime, now);
    const slot = (this.#start + this.#count) & (this.#events.length - 1);
    this.#events[slot] = event;
    this.#times[slot] = this.#lastTime;
    this.#count++;
    this.#bytes += bytesHeldBy(event);
    this.#budget?.hold(event);
    while (this.#count > this.#limits.maxEvents || (this.#bytes > this.#maxBytes && this.#count > 1))
      this.#dropOldest();
    this.expire(now);
  }

  /** Drops the events that exceed the maximum age at `now`. */
  expire(now: number): void {
    const horizon = now - this.#limits.historyMs;
    while (this.#count > 0 && (this.#times[this.#start] ?? 0) < horizon) this.#dropOldest();
  }

  /** Drops the events up to a past revision. */
  compact(revision: Revision): void {
    while ((this.#events[this.#start]?.revision ?? Infinity) <= revision) this.#dropOldest();
    if (revision > this.#compacted) this.#compacted = revision;
  }

  /** Calls `visit` with each event after a revision that is not compacted, in order. */
  forEachAfter(revision: Revision, visit: (event: StorageEvent) => void): void {
    this.#forEach(visit, this.#offsetAfter(revision));
  }

  /** Drops all events without changing the compacted revision. */
  clear(): void {
    this.countAgainst(undefined);
    this.#events = new Array<StorageEvent | undefined>(INITIAL_CAPACITY).fill(undefined);
    this.#times = new Float64Array(INITIAL_CAPACITY);
    this.#start = this.#count = this.#bytes = 0;
  }

  #forEach(visit: (event: StorageEvent) => void, from = 0): void {
    const mask = this.#events.length - 1;
    for (let offset = from; offset < this.#count; offset++) {
      const event = this.#events[(this.#start + offset) & mask];
      if (event !== undefined) visit(event);
    }
  }

  /** Returns the offset of the first event after a revision, by binary search. */
  #offsetAfter(revision: Revision): number {
    const mask = this.#events.length - 1;
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[(this.#start + middle) & mask]?.revision ?? 0) <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #dropOldest(): void {
    const event = this.#events[this.#start];
    if (event === undefined) return;
    this.#events[this.#start] = undefined;
    this.#start = (this.#start + 1) & (this.#events.length - 1);
    this.#count--;
    this.#bytes -= bytesHeldBy(event);
    this.#budget?.release(event);
    this.#compacted = event.revision;
    this.#forgotten?.(event);
    if (this.#events.length > INITIAL_CAPACITY && this.#count < this.#events.length >> 2)
      this.#resize(this.#events.length >> 1);
  }

  #resize(capacity: number): void {
    const events = new Array<StorageEvent | undefined>(capacity).fill(undefined);
    const times = new Float64Array(capacity);
    const mask = this.#events.length - 1;
    for (let offset = 0; offset < this.#count; offset++) {
      events[offset] = this.#events[(this.#start + offset) & mask];
      times[offset] = this.#times[(this.#start + offset) & mask] ?? 0;
    }
    this.#events = events;
    this.#times = times;
    this.#start = 0;
  }
}
