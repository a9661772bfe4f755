import type { Clock } from '../../meta/clock.js';
import type { HistoryBudget, HistoryHolder } from '../history-budget.js';
import { EventHistory, type HistoryLimits } from '../state/event-history.js';
import { endSink, WatchHub, type HubWatch } from '../state/watch-hub.js';
import type { Revision, StorageEvent, StorageWatch, StorageWatchEnd, StorageWatchSink } from '../storage.js';

/** The parts that {@link Deliveries} work with. */
export interface DeliveryParts {
  readonly clock: Clock;
  readonly limits: HistoryLimits;
  /** Up to which revision everything has come. */
  readonly position: () => Revision;
  /** Finds out how far that could be, and resolves when everything up to there has come. */
  readonly catchUp: () => Promise<void>;
}

const STOPPED: StorageWatch = { stop: () => undefined, requestProgress: () => undefined };

/** Hands what the feed tells to the watches of the engine: what came lately to new ones, and what comes to all. */
export class Deliveries implements HistoryHolder {
  readonly #parts: DeliveryParts;
  readonly #history: EventHistory;
  readonly #hub: WatchHub;
  /** Watches that want to know how far they are. */
  readonly #curious = new Set<HubWatch>();
  #asking = false;
  #closed = false;
  #budget: HistoryBudget | undefined;
  #leaveBudget: (() => void) | undefined;

  /** @param from what came up to this revision is not known */
  constructor(parts: DeliveryParts, from: Revision) {
    this.#parts = parts;
    this.#history = new EventHistory(parts.limits);
    this.#history.compact(from);
    this.#hub = new WatchHub(parts.position);
  }

  /** Counts what is kept of the past against a budget, as {@link Storage.shareBudget} has it. */
  shareBudget(budget: HistoryBudget): void {
    this.#leaveBudget?.();
    this.#budget = budget;
    this.#leaveBudget = budget.join(this);
    this.#history.countAgainst(budget);
    budget.relieve();
  }

  /** Revision of the oldest event of the history. */
  get oldestHeld(): Revision | undefined {
    return this.#history.oldest?.revision;
  }

  /** Forgets the history up to a revision, because the budget is used up. */
  forgetUpTo(revision: Revision): void {
    this.compact(revision);
  }

  /** The oldest revision that a watch may start from. */
  compactedRevision(): Revision {
    this.#history.expire(this.#parts.clock.now());
    return this.#history.compactedRevision;
  }

  /** Starts a watch, as the contract has it. */
  watch(prefix: string, fromRevision: Revision, sink: StorageWatchSink): StorageWatch {
    if (this.#closed) {
      endSink(sink, { kind: 'closed' });
      return STOPPED;
    }
    const compactRevision = this.compactedRevision();
    if (fromRevision < compactRevision) {
      endSink(sink, { kind: 'compacted', compactRevision });
      return STOPPED;
    }
    const position = this.#parts.position();
    const missed: StorageEvent[] = [];
    this.#history.forEachAfter(fromRevision, (event) => {
      if (event.key.startsWith(prefix)) missed.push(event);
    });
    const watch = this.#hub.add(prefix, sink, Math.max(fromRevision, position));
    const told = missed.at(-1)?.revision ?? fromRevision;
    this.#hub.replay(watch, missed, told < position ? position : undefined);
    return {
      stop: () => {
        this.#curious.delete(watch);
        watch.stop();
      },
      requestProgress: () => this.#tellProgressOf(watch),
    };
  }

  /** Takes in writes that happened, after the position has moved behind them. */
  events(events: readonly StorageEvent[]): void {
    const now = this.#parts.clock.now();
    // All of them first: a watch that is started from within a delivery finds them in the history.
    for (const event of events) this.#history.append(event, now);
    for (const event of events) this.#hub.publish(event);
    this.#budget?.relieve();
  }

  /** Says that what came up to a revision is not known any more, and ends the watches that wanted it. */
  lose(reason: StorageWatchEnd, revision: Revision): void {
    this.#history.compact(revision);
    this.#hub.endBefore(revision, reason);
  }

  /** Forgets what came up to a revision; no watch that runs is hurt. */
  compact(revision: Revision): void {
    this.#history.compact(revision);
  }

  /** Ends every watch, and every one to come. */
  close(): void {
    this.#closed = true;
    this.#leaveBudget?.();
    this.#curious.clear();
    this.#hub.endAll({ kind: 'closed' });
    this.#history.clear();
  }

  #tellProgressOf(watch: HubWatch): void {
    if (watch.over) return;
    this.#curious.add(watch);
    if (this.#asking) return;
    this.#asking = true;
    // Who cannot be told now asks again, as everybody does who wants to know.
    void this.#parts
      .catchUp()
      .catch(() => undefined)
      .then(() => {
        this.#asking = false;
        const curious = [...this.#curious];
        this.#curious.clear();
        for (const each of curious) each.requestProgress();
      });
  }
}
