import type { Clock } from '../../meta/clock.js';
import type { HistoryBudget, HistoryHolder } from '../history-budget.js';
import { EventHistory, type HistoryLimits } from '../state/event-history.js';
import { endSink, WatchHub, type HubWatch } from '../state/watch-hub.js';
import type { Revision, StorageEvent, StorageWatch, StorageWatchEnd, StorageWatchSink } from '../storage.js';

/** The parts of a {@link WatchDispatcher}. */
export interface WatchDispatcherParts {
  readonly clock: Clock;
  readonly limits: HistoryLimits;
  /** Returns the revision up to which every event has arrived. */
  readonly position: () => Revision;
  /** Reads the present revision and resolves when every event up to it has arrived. */
  readonly catchUp: () => Promise<void>;
}

const STOPPED: StorageWatch = { stop: () => undefined, requestProgress: () => undefined };

/** Dispatches the events of the feed to the watches of the engine. New watches first get the recent history. */
export class WatchDispatcher implements HistoryHolder {
  readonly #parts: WatchDispatcherParts;
  readonly #history: EventHistory;
  readonly #hub: WatchHub;
  /** Watches that wait for a progress notification. */
  readonly #progressWaiters = new Set<HubWatch>();
  #catchingUp = false;
  #closed = false;
  #budget: HistoryBudget | undefined;
  #leaveBudget: (() => void) | undefined;

  /** @param from the history starts after this revision */
  constructor(parts: WatchDispatcherParts, from: Revision) {
    this.#parts = parts;
    this.#history = new EventHistory(parts.limits);
    this.#history.compact(from);
    this.#hub = new WatchHub(parts.position);
  }

  /** Counts the history against a budget; see {@link Storage.shareBudget}. */
  shareBudget(budget: HistoryBudget): void {
    this.#leaveBudget?.();
    this.#budget = budget;
    this.#leaveBudget = budget.join(this);
    this.#history.countAgainst(budget);
    budget.enforceLimit();
  }

  /** Revision of the oldest event in the history. */
  get oldestRevision(): Revision | undefined {
    return this.#history.oldest?.revision;
  }

  /** Drops the history up to a revision, because the budget is exceeded. */
  dropUpTo(revision: Revision): void {
    this.compact(revision);
  }

  /** Returns the oldest revision that a watch may start from. */
  compactedRevision(): Revision {
    this.#history.expire(this.#parts.clock.now());
    return this.#history.compactedRevision;
  }

  /** Starts a watch; see {@link Storage.watch}. */
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
    const replayed = missed.at(-1)?.revision ?? fromRevision;
    this.#hub.replay(watch, missed, replayed < position ? position : undefined);
    return {
      stop: () => {
        this.#progressWaiters.delete(watch);
        watch.stop();
      },
      requestProgress: () => this.#notifyProgress(watch),
    };
  }

  /** Dispatches writes. Call it after the position has moved to the last of them. */
  events(events: readonly StorageEvent[]): void {
    const now = this.#parts.clock.now();
    // Fills the history first, so that a watch started during a delivery finds all of these events.
    for (const event of events) this.#history.append(event, now);
    for (const event of events) this.#hub.publish(event);
    this.#budget?.enforceLimit();
  }

  /** Drops the events up to a lost revision, and ends the watches that have not received them. */
  lose(reason: StorageWatchEnd, revision: Revision): void {
    this.#history.compact(revision);
    this.#hub.endBefore(revision, reason);
  }

  /** Drops the history up to a revision. Running watches are not affected. */
  compact(revision: Revision): void {
    this.#history.compact(revision);
  }

  /** Ends every watch; later ones end at once. */
  close(): void {
    this.#closed = true;
    this.#leaveBudget?.();
    this.#progressWaiters.clear();
    this.#hub.endAll({ kind: 'closed' });
    this.#history.clear();
  }

  #notifyProgress(watch: HubWatch): void {
    if (watch.over) return;
    this.#progressWaiters.add(watch);
    if (this.#catchingUp) return;
    this.#catchingUp = true;
    // On failure, clients request progress again.
    void this.#parts
      .catchUp()
      .catch(() => undefined)
      .then(() => {
        this.#catchingUp = false;
        const waiters = [...this.#progressWaiters];
        this.#progressWaiters.clear();
        for (const each of waiters) each.requestProgress();
      });
  }
}
