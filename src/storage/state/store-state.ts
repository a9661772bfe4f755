import type { Clock } from '../../meta/clock.js';
import type { HistoryBudget, HistoryHolder } from '../history-budget.js';
import { StorageError } from '../storage.js';
import type {
  Revision,
  StorageEvent,
  StorageListOptions,
  StoragePage,
  StorageRecord,
  StorageWatch,
  StorageWatchSink,
} from '../storage.js';
import { EventHistory } from './event-history.js';
import type { HistoryLimits } from './event-history.js';
import type { Expiry } from './expiry-queue.js';
import { ExpirySchedule } from './expiry-schedule.js';
import { precedesByCodePoint } from './key-order.js';
import { PastStates } from './past-state.js';
import { RecordTree, Side } from './record-tree.js';
import { WatchHub, endSink } from './watch-hub.js';

/** How much of the past a store keeps. */
export interface HistoryOptions {
  /** Milliseconds for which old revisions can be read and watched from; default 300,000. */
  readonly historyMs?: number;
  /** Most events kept, however young; default 1,000,000. */
  readonly maxHistoryEvents?: number;
  /**
   * Most bytes of events with the texts that only the history still holds (superseded and deleted versions). The newest event is
   * kept however large it is. Default: what the server allows that uses the store (`limits.historyBytes`), or without a server a
   * quarter of the heap that the host allows.
   */
  readonly maxHistoryBytes?: number;
}

/** What a {@link StoreState} is made from. */
export interface StoreStateOptions extends HistoryOptions {
  /** Tells the age of the history and the time of expiries. */
  readonly clock: Clock;
  /** Writes the delete of a key whose time has come. The key is forgotten by the schedule before the call. */
  expire(expiry: Expiry): void;
  /** Hears of each event that the history lets go of: the version before it, and the last version of a deleted key, are of no use any more. */
  forgotten?(event: StorageEvent): void;
}

/** When a key vanishes by itself. */
export type Deadline = Pick<Expiry, 'deadline' | 'encode'>;

const DEFAULT_HISTORY_MS = 300_000;
const DEFAULT_MAX_EVENTS = 1_000_000;
/** The revision of an empty store, as in etcd: the first write gets the one after it. */
const FIRST_REVISION: Revision = 1;
const STOPPED: StorageWatch = { stop: () => undefined, requestProgress: () => undefined };

/** The limits that options come to, with the defaults in their places. */
export function limitsOf(options: HistoryOptions): HistoryLimits {
  return {
    historyMs: options.historyMs ?? DEFAULT_HISTORY_MS,
    maxEvents: options.maxHistoryEvents ?? DEFAULT_MAX_EVENTS,
    maxBytes: options.maxHistoryBytes,
  };
}

/**
 * A store as its readers see it: the present records, the history, the watches and the expiries, all in memory. An engine
 * checks its writes, makes them as durable as it promises, and then applies them here, where they become visible.
 */
export class StoreState implements HistoryHolder {
  private readonly clock: Clock;
  private readonly byKey = new Map<string, StorageRecord>();
  private tree = new RecordTree();
  private readonly history: EventHistory;
  private readonly past = new PastStates();
  private readonly watches = new WatchHub(() => this.newest);
  private readonly expiries: ExpirySchedule;
  private newest = FIRST_REVISION;
  /** While a whole store is read, the order of the keys is left for the end. */
  private reading = false;
  private closed = false;
  private budget: HistoryBudget | undefined;
  private leaveBudget: (() => void) | undefined;

  constructor(options: StoreStateOptions) {
    this.clock = options.clock;
    this.expiries = new ExpirySchedule(options.clock, (expiry) => options.expire(expiry));
    this.history = new EventHistory(limitsOf(options), options.forgotten?.bind(options));
  }

  /** Revision of the newest write that was applied. */
  get revision(): Revision {
    return this.newest;
  }

  /** The oldest revision whose state can be told, as of the last look at the clock. */
  get compactedRevision(): Revision {
    return this.history.compactedRevision;
  }

  /** The present record of a key. */
  present(key: string): StorageRecord | undefined {
    return this.byKey.get(key);
  }

  /** @throws StorageError `Unavailable` when the store is closed */
  assertOpen(): void {
    if (this.closed) throw new StorageError('Unavailable', { message: 'the storage is closed' });
  }

  /** Counts what is kept of the past against a budget, as {@link Storage.shareBudget} has it. */
  shareBudget(budget: HistoryBudget): void {
    this.leaveBudget?.();
    this.budget = budget;
    this.leaveBudget = budget.join(this);
    this.history.countAgainst(budget);
    this.past.countAgainst(budget);
    budget.relieve();
  }

  /** Revision of the oldest event of the history. */
  get oldestHeld(): Revision | undefined {
    return this.history.oldest?.revision;
  }

  /** Forgets the history up to a revision, because the budget is used up. */
  forgetUpTo(revision: Revision): void {
    this.compact(revision);
  }

  /** A page of a range, as {@link Storage.list} has it. */
  page(prefix: string, options: StorageListOptions): StoragePage {
    const revision = options.revision ?? this.newest;
    if (revision > this.newest) throw new StorageError('FutureRevision', { revision: this.newest });
    if (revision < this.newest) this.forgetExpired();
    if (revision < this.history.compactedRevision)
      throw new StorageError('Compacted', { revision: this.history.compactedRevision });
    const after = options.after;
    const inside = after !== undefined && after.startsWith(prefix);
    if (after !== undefined && !inside && precedesByCodePoint(prefix, after))
      return { records: [], revision, remaining: 0 };
    const from = inside ? after : prefix;
    const side = inside ? Side.Behind : Side.Before;
    const limit = options.limit !== undefined && options.limit > 0 ? options.limit : Infinity;
    return revision === this.newest
      ? this.presentPage(prefix, from, side, limit)
      : this.pastPage(revision, prefix, from, side, limit);
  }

  /** Starts a watch, as {@link Storage.watch} has it. */
  watch(prefix: string, fromRevision: Revision, sink: StorageWatchSink): StorageWatch {
    if (this.closed) {
      endSink(sink, { kind: 'closed' });
      return STOPPED;
    }
    this.forgetExpired();
    const compactRevision = this.history.compactedRevision;
    if (fromRevision < compactRevision) {
      endSink(sink, { kind: 'compacted', compactRevision });
      return STOPPED;
    }
    const current = this.newest;
    const missed: StorageEvent[] = [];
    this.history.forEachAfter(fromRevision, (event) => {
      if (event.key.startsWith(prefix)) missed.push(event);
    });
    // Registered first: a write from within the replay would be out of order otherwise, and a close unnoticed.
    const watch = this.watches.add(prefix, sink, Math.max(fromRevision, current));
    const told = missed[missed.length - 1]?.revision ?? fromRevision;
    this.watches.replay(watch, missed, told < current ? current : undefined);
    return watch;
  }

  /**
   * Takes the next write in: the records and the history know of it, and the watches hear of it.
   *
   * @param writtenAt time of the write, milliseconds since the epoch
   * @param deadline when the key vanishes by itself; undefined when it stays
   */
  apply(event: StorageEvent, writtenAt: number, deadline: Deadline | undefined): void {
    this.place(event);
    this.newest = event.revision;
    const compacted = this.history.compactedRevision;
    this.history.append(event, writtenAt);
    if (this.history.compactedRevision !== compacted) this.past.dropBefore(this.history.compactedRevision);
    this.setDeadline(event, deadline);
    this.watches.publish(event);
    this.budget?.relieve();
  }

  /**
   * Begins to read a store. Its writes up to the compacted revision are {@link restore}d, in order, and those after it
   * {@link apply|applied}; {@link endReading} ends it. Until then there are no pages.
   */
  beginReading(compacted: Revision): void {
    this.reading = true;
    this.history.compact(compacted);
    if (compacted > this.newest) this.newest = compacted;
  }

  /** Takes a version in whose history is not kept any more. */
  restore(event: StorageEvent, deadline: Deadline | undefined): void {
    this.place(event);
    this.setDeadline(event, deadline);
  }

  /** Everything is read. */
  endReading(): void {
    this.reading = false;
    this.tree = RecordTree.of([...this.byKey.values()]);
  }

  /** When keys vanish, as {@link Storage.expiries} has it. */
  deadlines(): ReadonlyMap<string, number> {
    return this.expiries.deadlines();
  }

  /** Lets keys vanish from now on. */
  startExpiry(): void {
    this.expiries.start();
  }

  /** Lets a key vanish again whose delete could not be written. */
  postpone(expiry: Expiry): void {
    if (!this.closed && this.byKey.get(expiry.key)?.modRevision === expiry.revision) this.expiries.set(expiry);
  }

  /**
   * Whether there is something to forget up to a revision.
   *
   * @throws StorageError `FutureRevision`
   */
  canCompact(revision: Revision): boolean {
    if (revision > this.newest) throw new StorageError('FutureRevision', { revision: this.newest });
    return revision > this.history.compactedRevision;
  }

  /** Forgets the history up to a revision that has happened. */
  compact(revision: Revision): void {
    this.history.compact(revision);
    this.past.dropBefore(this.history.compactedRevision);
  }

  /** Forgets the history that is older than it may be. */
  forgetExpired(): void {
    const compacted = this.history.compactedRevision;
    this.history.expire(this.clock.now());
    if (this.history.compactedRevision !== compacted) this.past.dropBefore(this.history.compactedRevision);
  }

  /** Ends the watches, and frees what is held. */
  close(): void {
    this.closed = true;
    this.leaveBudget?.();
    this.expiries.cancel();
    this.watches.endAll({ kind: 'closed' });
    this.byKey.clear();
    this.tree = new RecordTree();
    this.history.clear();
    this.past.dropBefore(Infinity);
    this.budget = undefined;
  }

  private place(event: StorageEvent): void {
    const { record } = event;
    if (event.type === 'delete') {
      if (this.byKey.delete(event.key) && !this.reading) this.tree.remove(event.key);
      return;
    }
    this.byKey.set(event.key, record);
    if (this.reading) return;
    if (event.type === 'create') this.tree.insert(record);
    else this.tree.replace(record);
  }

  private setDeadline(event: StorageEvent, deadline: Deadline | undefined): void {
    if (deadline === undefined) this.expiries.remove(event.key);
    else
      this.expiries.set({
        key: event.key,
        deadline: deadline.deadline,
        revision: event.revision,
        encode: deadline.encode,
      });
  }

  private presentPage(prefix: string, from: string, side: Side, limit: number): StoragePage {
    const start = this.tree.position(from, side);
    const total = this.tree.rankBehindPrefix(prefix) - start.rank;
    const count = Math.min(limit, total);
    return { records: start.take(count), revision: this.newest, remaining: total - count };
  }

  private pastPage(revision: Revision, prefix: string, from: string, side: Side, limit: number): StoragePage {
    const state = this.past.at(revision, this.history, this.newest);
    const present = this.tree.position(from, side);
    const then = state.then.position(from, side);
    const presentCount = this.tree.rankBehindPrefix(prefix) - present.rank;
    const writtenSince = state.now.rankBehindPrefix(prefix) - state.now.rank(from, side);
    const total = presentCount - writtenSince + state.then.rankBehindPrefix(prefix) - then.rank;
    const count = Math.min(limit, total);
    return { records: state.take(present, presentCount, then, count), revision, remaining: total - count };
  }
}
