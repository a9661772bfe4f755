import type { Clock } from '../../foundation/index.js';
import { HistoryTimer } from '../history-timer.js';
import type { MemoryBudget, HistoryHolder } from '../memory-budget.js';
import { EventHistory, type HistoryLimits } from '../state/history/event-history.js';
import { WatchHub, type HubWatch } from '../state/history/watch-hub.js';
import type { Revision, StorageEvent, StorageWatch, StorageWatchEnd, StorageWatchSink } from '../storage.js';

/** The parts of a {@link WatchDispatcher}. */
export interface WatchDispatcherParts {
  readonly clock: Clock;
  readonly limits: HistoryLimits;
  /** Returns the revision up to which every event has arrived. */
  readonly position: () => Revision;
  /** Reads the current revision and resolves when every event up to it has arrived. */
  readonly catchUp: () => Promise<void>;
}

/** Dispatches the events of the feed to the watches of the engine. New watches first get the recent history. */
export class WatchDispatcher implements HistoryHolder {
  readonly #parts: WatchDispatcherParts;
  readonly #history: EventHistory;
  readonly #historyTimer: HistoryTimer;
  readonly #hub: WatchHub;
  /** Watches that wait for a progress notification. */
  readonly #progressWaiters = new Set<HubWatch>();
  #catchingUp = false;

  #budget: MemoryBudget | undefined;
  #leaveBudget: (() => void) | undefined;

  /** @param from the history starts after this revision */
  constructor(parts: WatchDispatcherParts, from: Revision) {
    this.#parts = parts;
    this.#history = new EventHistory(parts.limits);
    this.#history.compact(from);
    this.#hub = new WatchHub(parts.position);
    this.#historyTimer = new HistoryTimer(parts.clock, this.#history, () => this.#forgetExpired());
    this.#historyTimer.start();
  }

  /** Counts the history against a budget; see {@link Storage.shareBudget}. */
  shareBudget(budget: MemoryBudget): void {
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
    this.#history.dropUpTo(revision);
    this.#historyTimer.changed();
  }

  /** Returns the oldest revision that a watch may start from. */
  compactedRevision(): Revision {
    this.#forgetExpired();
    return this.#history.compactedRevision;
  }

  /** Starts a watch; see {@link Storage.watch}. */
  watch(prefix: string, fromRevision: Revision, sink: StorageWatchSink): StorageWatch {
    this.#forgetExpired();
    const watch = this.#hub.start(this.#history, prefix, fromRevision, sink);
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
    this.#historyTimer.changed();
    for (const batch of byRevision(events)) this.#hub.publish(batch);
    this.#budget?.enforceLimit();
  }

  /** Drops the events up to a lost revision, and ends the watches that have not received them. */
  lose(reason: StorageWatchEnd, revision: Revision): void {
    this.compact(revision);
    this.#hub.endBefore(revision, reason);
  }

  /** Drops the history up to a revision. Running watches are not affected. */
  compact(revision: Revision): void {
    this.#history.compact(revision);
    this.#historyTimer.changed();
  }

  /** Ends every watch; later ones end at once. */
  close(): void {
    this.#leaveBudget?.();
    this.#historyTimer.close();
    this.#progressWaiters.clear();
    this.#hub.close();
    this.#history.clear();
  }

  #forgetExpired(): void {
    this.#history.expire(this.#parts.clock.now());
    this.#historyTimer.changed();
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

/** Divides events in order of revision into those of one revision each. */
function byRevision(events: readonly StorageEvent[]): StorageEvent[][] {
  const batches: StorageEvent[][] = [];
  for (const event of events) {
    const batch = batches[batches.length - 1];
    if (batch?.[0]?.revision === event.revision) batch.push(event);
    else batches.push([event]);
  }
  return batches;
}
