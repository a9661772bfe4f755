import { repeatInTurns } from '../../../foundation/index.js';
import type { AgingHistory } from '../../history-timer.js';
import { bytesHeldBy, defaultHistoryBytes, type MemoryBudget } from '../../memory-budget.js';
import type { Revision, StorageEvent } from '../../storage.js';
import { ChunkedQueue } from '../records/shared-chunks.js';

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
  /** Whether nothing else holds the new versions, so that all of them count. Default false: only those of deletes. */
  readonly holdsRecords?: boolean | undefined;
}

/**
 * The writes that are not compacted, oldest first, with their times. A revision may have no event, or several that
 * happened together.
 *
 * Dropping events takes effect at once. The memory of many is released, and many are counted against a budget, in the
 * shares of several turns.
 */
export class EventHistory implements AgingHistory {
  readonly #limits: HistoryLimits;
  readonly #forgotten: ((event: StorageEvent) => void) | undefined;
  #events = new ChunkedQueue<StorageEvent | undefined>(undefined);
  #times = new ChunkedQueue(0);
  /** Number of the oldest events that are dropped, and whose memory is not yet released. */
  #dropped = 0;
  /** Number of the oldest events that the budget does not count yet. */
  #uncounted = 0;
  /** Number of the oldest events that another history counts: this one was forked from it. */
  #inherited = 0;
  #releasing: Promise<void> | undefined;
  #lastTime = -Infinity;
  #bytes = 0;
  #maxBytes: number;
  #budget: MemoryBudget | undefined;
  #compacted: Revision = 0;

  /** @param forgotten called with each dropped event */
  constructor(limits: HistoryLimits, forgotten?: (event: StorageEvent) => void) {
    this.#limits = limits;
    this.#maxBytes = limits.maxBytes ?? defaultHistoryBytes();
    this.#forgotten = forgotten;
  }

  /**
   * Returns an independent history with the same events, which share their memory. Budgets count the events only for
   * this history.
   */
  fork(): EventHistory {
    const history = new EventHistory(this.#limits);
    history.#events = this.#events.fork();
    history.#times = this.#times.fork();
    history.#inherited = history.#uncounted = history.#events.length;
    history.#dropped = this.#dropped;
    history.#lastTime = this.#lastTime;
    history.#bytes = this.#bytes;
    history.#compacted = this.#compacted;
    history.#releaseDropped();
    return history;
  }

  /** Number of events kept. */
  get size(): number {
    return this.#count - this.#dropped;
  }

  /** Bytes of the events in memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Time of the oldest event kept, in milliseconds since the epoch. */
  get oldestTime(): number | undefined {
    return this.#times.at(this.#dropped);
  }

  /** Maximum age of an event, in milliseconds. */
  get historyMs(): number {
    return this.#limits.historyMs;
  }

  get #withRecord(): true | undefined {
    return this.#limits.holdsRecords === true ? true : undefined;
  }

  get #count(): number {
    return this.#events.length;
  }

  /** The oldest readable revision. */
  get compactedRevision(): Revision {
    return this.#compacted;
  }

  /** The oldest event in memory; undefined when there is none. */
  get oldest(): StorageEvent | undefined {
    return this.#events.at(0);
  }

  /** Resolves when the memory of all dropped events is released. */
  async released(): Promise<void> {
    await this.#releasing;
  }

  /** Counts the events against a shared budget; undefined ends that. */
  countAgainst(budget: MemoryBudget | undefined): void {
    const former = this.#budget;
    if (former !== undefined) {
      const counted: StorageEvent[] = [];
      this.#forEach((event) => counted.push(event), this.#uncounted);
      void repeatInTurns(() => releaseLast(former, counted, this.#withRecord));
    }
    this.#budget = budget;
    this.#uncounted = budget === undefined ? this.#inherited : this.#count;
    this.#maxBytes = this.#limits.maxBytes ?? (budget === undefined ? defaultHistoryBytes() : Infinity);
    if (budget === undefined) return;
    void repeatInTurns(() => this.#countNext(budget))?.then(() => budget.enforceLimit());
  }

  /** Counts one more event. Returns false when all are counted. */
  #countNext(budget: MemoryBudget): boolean {
    if (this.#budget !== budget || this.#uncounted === this.#inherited) return false;
    // The newest first: the oldest may be dropped meanwhile.
    this.#uncounted--;
    const event = this.#events.at(this.#uncounted);
    if (event !== undefined) budget.hold(event, this.#withRecord);
    return true;
  }

  /**
   * Adds the event of the next revision, made at `now`, and drops events beyond the limits. The limit on bytes never
   * drops the newest event.
   */
  append(event: StorageEvent, now: number): void {
    // A wall clock may step back; the times must not.
    this.#lastTime = Math.max(this.#lastTime, now);
    this.#events.push(event);
    this.#times.push(this.#lastTime);
    this.#bytes += bytesHeldBy(event, this.#withRecord);
    this.#budget?.hold(event, this.#withRecord);
    if (this.size > this.#limits.maxEvents) this.#drop(this.#count - this.#limits.maxEvents);
    while (this.#bytes > this.#maxBytes && this.#count > 1) this.#releaseOldest();
    this.expire(now);
  }

  /** Drops the events that exceed the maximum age at `now`. */
  expire(now: number): void {
    const horizon = now - this.#limits.historyMs;
    if (this.#timeAt(this.#dropped) < horizon)
      this.#drop(this.#offsetWhere((offset) => this.#timeAt(offset) >= horizon));
  }

  /** Drops the events up to a past revision. */
  compact(revision: Revision): void {
    this.#drop(this.#offsetAfter(revision));
    if (revision > this.#compacted) this.#compacted = revision;
  }

  /** Drops the events up to a past revision and releases their memory before it returns. */
  dropUpTo(revision: Revision): void {
    while ((this.#events.at(0)?.revision ?? Infinity) <= revision) this.#releaseOldest();
    if (revision > this.#compacted) this.#compacted = revision;
  }

  /** Calls `visit` with each event after a revision that is not compacted, in order. */
  forEachAfter(revision: Revision, visit: (event: StorageEvent) => void): void {
    this.#forEach(visit, this.#offsetAfter(revision));
  }

  /** Returns the number of events after a revision that is not compacted. */
  countAfter(revision: Revision): number {
    return this.#count - this.#offsetAfter(revision);
  }

  /**
   * Returns some events after a revision that is not compacted, in order: at most `count`, or more when they happened
   * together.
   */
  after(revision: Revision, count: number): StorageEvent[] {
    const events: StorageEvent[] = [];
    for (let offset = this.#offsetAfter(revision); offset < this.#count; offset++) {
      const event = this.#events.at(offset);
      if (event === undefined || (events.length >= count && event.revision !== events.at(-1)?.revision)) break;
      events.push(event);
    }
    return events;
  }

  /** Returns the current events after a revision that is not compacted. Later changes do not affect them. */
  snapshotAfter(revision: Revision): PastEvents {
    return new PastEvents(this.#events.fork(), this.#offsetAfter(revision));
  }

  /** Drops all events without changing the compacted revision. */
  clear(): void {
    this.countAgainst(undefined);
    this.#events.clear();
    this.#times.clear();
    this.#dropped = this.#bytes = this.#inherited = this.#uncounted = 0;
  }

  #forEach(visit: (event: StorageEvent) => void, from = 0): void {
    for (let offset = from; offset < this.#count; offset++) {
      const event = this.#events.at(offset);
      if (event !== undefined) visit(event);
    }
  }

  /** Returns the time of an event; Infinity after the last one. */
  #timeAt(offset: number): number {
    return this.#times.at(offset) ?? Infinity;
  }

  /** Returns the offset of the first event after a revision. */
  #offsetAfter(revision: Revision): number {
    return this.#offsetWhere((offset) => (this.#events.at(offset)?.revision ?? 0) > revision);
  }

  /** Returns the first offset that something holds for, and for all later ones, by binary search. */
  #offsetWhere(holds: (offset: number) => boolean): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Drops this number of events from the oldest on. */
  #drop(count: number): void {
    if (count <= this.#dropped) return;
    this.#dropped = count;
    this.#compacted = Math.max(this.#compacted, this.#events.at(count - 1)?.revision ?? 0);
    this.#releaseDropped();
  }

  #releaseDropped(): void {
    if (this.#releasing !== undefined || this.#dropped === 0) return;
    this.#releasing = repeatInTurns(() => this.#dropped > 0 && this.#releaseOldest())?.then(() => {
      this.#releasing = undefined;
    });
  }

  /** Removes the oldest event from memory. Returns whether there was one. */
  #releaseOldest(): boolean {
    const event = this.#events.at(0);
    if (event === undefined) return false;
    this.#events.shift();
    this.#times.shift();
    if (this.#dropped > 0) this.#dropped--;
    this.#bytes -= bytesHeldBy(event, this.#withRecord);
    if (this.#uncounted > 0) this.#uncounted--;
    else this.#budget?.release(event, this.#withRecord);
    if (this.#inherited > 0) this.#inherited--;
    this.#compacted = Math.max(this.#compacted, event.revision);
    this.#forgotten?.(event);
    return true;
  }
}

/** The events of a history at one moment, to be read once. */
export class PastEvents {
  readonly #events: ChunkedQueue<StorageEvent | undefined>;
  #offset: number;

  constructor(events: ChunkedQueue<StorageEvent | undefined>, offset: number) {
    this.#events = events;
    this.#offset = offset;
  }

  /** Returns the next events: at most `count`, or more when they happened together; none at the end. */
  next(count: number): StorageEvent[] {
    const events: StorageEvent[] = [];
    for (; ; this.#offset++) {
      const event = this.#events.at(this.#offset);
      if (event === undefined || (events.length >= count && event.revision !== events.at(-1)?.revision)) break;
      events.push(event);
    }
    return events;
  }
}

/** Releases the last of some events. Returns false when none is left. */
function releaseLast(budget: MemoryBudget, events: StorageEvent[], withRecord: true | undefined): boolean {
  const event = events.pop();
  if (event === undefined) return false;
  budget.release(event, withRecord);
  return true;
}
