import type { Clock } from '../../foundation/index.js';
import { HistoryTimer } from '../history-timer.js';
import type { HistoryHolder, MemoryAccount, MemoryBudget } from '../memory-budget.js';
import type { StorageIndex, TermsOf } from '../storage-index.js';
import { StorageError } from '../storage.js';
import type {
  Revision,
  StorageEvent,
  StorageListOptions,
  StoragePage,
  StorageRecord,
  StorageWatch,
  StorageWatchSink,
  StorageWriteOptions,
} from '../storage.js';
import { EventHistory } from './history/event-history.js';
import type { Expiry } from './history/expiry-queue.js';
import { ExpirySchedule } from './history/expiry-schedule.js';
import { PastStates } from './history/past-state.js';
import type { PastState } from './history/past-state.js';
import { WatchHub } from './history/watch-hub.js';
import { limitsOf, type HistoryOptions } from './history-options.js';
import { ObjectsText } from './objects-text.js';
import { KeyMap } from './records/key-map.js';
import { rangeStart } from './records/key-range.js';
import { RecordIndexes } from './records/record-indexes.js';
import { RecordTree } from './records/record-tree.js';
import type { Side } from './records/record-tree.js';
import { NO_SLOT } from './records/tree-nodes.js';

/** Options of a {@link StoreState}. */
export interface StoreStateOptions extends HistoryOptions {
  /** Clock for the age of the history and for expiries. */
  readonly clock: Clock;
  /** Deletes an expired key. The schedule has already removed the key. */
  expire(expiry: Expiry): void;
  /**
   * Called with each event that the history drops: its previous version, and the last version of a deleted key, are no
   * longer needed.
   */
  forgotten?(event: StorageEvent): void;
  /**
   * The texts in memory of a store that is larger than memory. Such a store has no map of its keys either: the tree finds
   * them, which takes O(log n).
   */
  readonly texts?: HeldTexts | undefined;
}

/** The texts in memory of a store that is larger than memory. */
export interface HeldTexts {
  /** Counts the texts against a budget, which may ask for their memory. */
  countAgainst(budget: MemoryBudget): void;
  /** Drops all texts. */
  clear(): void;
  /**
   * Returns the first of some records with their texts, in the same order; undefined when the store no longer has one.
   * Absent where a record reads its text by itself.
   *
   * @param reserve called with the bytes of texts before they are read; what it throws refuses the read
   */
  first?(
    records: readonly StorageRecord[],
    reserve: ((bytes: number) => void) | undefined,
  ): Promise<readonly StorageRecord[] | undefined>;
}

/** The expiry of a key. */
export type Deadline = Pick<Expiry, 'deadline' | 'encode'>;

/** Revision of an empty store, as in etcd; the first write gets the next one. */
const FIRST_REVISION: Revision = 1;

/** Estimated memory of an object besides its key, in a store that is larger than memory. Measured on Node 20. */
const EVICTABLE_ENTRY_BYTES = 128;

/**
 * A store as its readers see it, in memory: the current records, the history, the watches and the expiries. An engine
 * checks its writes, makes them durable, and then applies them here, where they become visible.
 */
export class StoreState implements HistoryHolder {
  readonly #clock: Clock;
  /**
   * The current records by key. Undefined where the tree finds them: in a forked store, since a map cannot be shared, and
   * in one that is larger than memory.
   */
  #byKey: KeyMap<StorageRecord> | undefined;
  readonly #texts: HeldTexts | undefined;
  #tree: RecordTree;
  readonly #history: EventHistory;
  readonly #past = new PastStates();
  readonly #historyTimer: HistoryTimer;
  readonly #objectsText: ObjectsText;
  readonly #watches = new WatchHub(() => this.#newest);
  readonly #expiries: ExpirySchedule;
  readonly #indexes = new RecordIndexes({
    tree: () => this.#tree,
    revision: () => this.#newest,
    past: (revision) => this.#pastState(revision),
    remaining: (prefix, after, revision) => {
      const { records, remaining } = this.page(prefix, { revision, after, limit: 1 });
      return records.length + remaining;
    },
    first: (records, reserve) => this.#texts?.first?.(records, reserve),
  });
  #newest = FIRST_REVISION;
  #closed = false;
  #budget: MemoryBudget | undefined;
  #leaveBudget: (() => void) | undefined;

  /** @param from state whose records, history and expiries the new one has: see {@link fork} */
  constructor(options: StoreStateOptions, from?: StoreState) {
    const { clock } = options;
    const expire = (expiry: Expiry): void => options.expire(expiry);
    this.#clock = clock;
    this.#texts = options.texts;
    if (from === undefined) {
      this.#byKey = options.texts === undefined ? new KeyMap() : undefined;
      this.#tree = new RecordTree();
      this.#objectsText = new ObjectsText(options.texts === undefined ? undefined : EVICTABLE_ENTRY_BYTES);
      this.#expiries = new ExpirySchedule(clock, expire);
      this.#history = new EventHistory(limitsOf(options), options.forgotten?.bind(options));
    } else {
      this.#newest = from.#newest;
      this.#tree = from.#tree.fork();
      this.#objectsText = from.#objectsText.fork();
      this.#expiries = from.#expiries.fork(clock, expire);
      this.#history = from.#history.fork();
    }
    this.#historyTimer = new HistoryTimer(clock, this.#history, () => this.forgetExpired());
  }

  /**
   * Returns an independent state with the same records, history and expiries. Both share their memory until one of them
   * changes, so this takes the same time and memory at any size. Watches and indexes are not copied.
   *
   * @param options clock and expiry of the new state
   * @throws StorageError `Unavailable` when the store is closed
   */
  fork(options: Pick<StoreStateOptions, 'clock' | 'expire'>): StoreState {
    this.assertOpen();
    return new StoreState(options, this);
  }

  /** Revision of the newest applied write. */
  get revision(): Revision {
    return this.#newest;
  }

  /** The oldest readable revision, as of the last check of the clock. */
  get compactedRevision(): Revision {
    return this.#history.compactedRevision;
  }

  /** Returns the current record of a key. */
  present(key: string): StorageRecord | undefined {
    return this.#byKey === undefined ? this.#tree.get(key) : this.#byKey.get(key);
  }

  /** @throws StorageError `Unavailable` when the store is closed */
  assertOpen(): void {
    if (this.#closed) throw new StorageError('Unavailable', { message: 'the storage is closed' });
  }

  /**
   * Counts the history, the indexes and the current objects against a budget; see {@link Storage.shareBudget}.
   *
   * @param objects account of the current objects; default one that is needed
   */
  shareBudget(budget: MemoryBudget, objects?: MemoryAccount): void {
    this.#leaveBudget?.();
    this.#budget = budget;
    this.#leaveBudget = budget.join(this);
    this.#history.countAgainst(budget);
    this.#past.countAgainst(budget);
    this.#indexes.countAgainst(budget);
    this.#objectsText.countAgainst(budget, objects);
    this.#texts?.countAgainst(budget);
    budget.enforceLimit();
  }

  /** Total length of the keys and texts of the current objects. */
  get objectsTextBytes(): number {
    return this.#objectsText.bytes;
  }

  /**
   * Checks that a write fits into the limit of the current objects.
   *
   * @param pendingBytes growth of writes that are not applied yet
   * @throws StorageError `Full`
   */
  assertFits(event: StorageEvent, options: StorageWriteOptions | undefined, pendingBytes?: number): void {
    this.#objectsText.assertFits(event, options, pendingBytes);
  }

  /** Revision of the oldest event in the history. */
  get oldestRevision(): Revision | undefined {
    return this.#history.oldest?.revision;
  }

  /** Drops the history up to a revision, because the budget is exceeded. */
  dropUpTo(revision: Revision): void {
    this.#history.dropUpTo(revision);
    this.#historyDropped();
  }

  /**
   * Prepares the state of an old revision, which {@link page} would otherwise do in one go. Undefined when that takes
   * no time.
   */
  pastReady(revision: Revision | undefined): Promise<void> | undefined {
    if (revision === undefined || revision >= this.#newest || revision < this.#history.compactedRevision)
      return undefined;
    return this.#past.catchUp(revision, this.#history);
  }

  /** Returns a page of a range; see {@link Storage.list}. */
  page(prefix: string, options: StorageListOptions): StoragePage {
    const revision = options.revision ?? this.#newest;
    if (revision > this.#newest) throw new StorageError('FutureRevision', { revision: this.#newest });
    if (revision < this.#newest) this.forgetExpired();
    if (revision < this.#history.compactedRevision)
      throw new StorageError('Compacted', { revision: this.#history.compactedRevision });
    const start = rangeStart(prefix, options.after);
    if (start === undefined) return { records: [], revision, remaining: 0 };
    const { from, side } = start;
    const limit = options.limit !== undefined && options.limit > 0 ? options.limit : Infinity;
    return revision === this.#newest
      ? this.#presentPage(prefix, from, side, limit)
      : this.#pastPage(revision, prefix, from, side, limit);
  }

  /** Returns an index; see {@link Storage.index}. */
  index(prefix: string, termsOf: TermsOf): StorageIndex {
    return this.#indexes.open(prefix, termsOf);
  }

  /** Starts a watch; see {@link Storage.watch}. */
  watch(prefix: string, fromRevision: Revision, sink: StorageWatchSink): StorageWatch {
    this.forgetExpired();
    return this.#watches.start(this.#history, prefix, fromRevision, sink);
  }

  /**
   * Applies the next write to the records and the history, and publishes it to the watches.
   *
   * @param writtenAt time of the write, in milliseconds since the epoch
   * @param deadline expiry of the key; undefined for none
   */
  apply(event: StorageEvent, writtenAt: number, deadline: Deadline | undefined): void {
    const slot = this.#updateRecords(event);
    this.#newest = event.revision;
    this.#indexes.apply(event, slot);
    const compacted = this.#history.compactedRevision;
    this.#history.append(event, writtenAt);
    if (this.#history.compactedRevision !== compacted) this.#historyDropped();
    else this.#historyTimer.changed();
    this.#setDeadline(event, deadline);
    this.#watches.publish([event]);
    this.#budget?.enforceLimit();
  }

  /** Records that the store has reached a revision without a further write. */
  advance(revision: Revision): void {
    if (revision > this.#newest) this.#newest = revision;
  }

  /**
   * Starts to read a store. Call {@link restore} for each write up to the compacted revision, in order, then {@link
   * apply} for each later one.
   *
   * @param newest revision of the store before the later writes; it precedes the first one of an empty store of an engine
   *   that counts from 0
   */
  beginReading(compacted: Revision, newest = Math.max(this.#newest, compacted)): void {
    this.#history.compact(compacted);
    this.#newest = newest;
  }

  /** Restores a version whose history is no longer kept. */
  restore(event: StorageEvent, deadline: Deadline | undefined): void {
    this.#updateRecords(event);
    this.#setDeadline(event, deadline);
  }

  /** Returns the expiries of the keys; see {@link Storage.expiries}. */
  deadlines(prefix: string): Promise<ReadonlyMap<string, number>> {
    return this.#expiries.deadlines(prefix);
  }

  /** Starts to expire keys, and history that nobody uses. */
  startExpiry(): void {
    this.#expiries.start();
    this.#historyTimer.start();
  }

  /** Sets the expiry of a key again after its delete has failed. */
  postpone(expiry: Expiry): void {
    if (!this.#closed && this.present(expiry.key)?.modRevision === expiry.revision) this.#expiries.set(expiry);
  }

  /**
   * Returns whether a compaction up to a revision has an effect.
   *
   * @throws StorageError `FutureRevision`
   */
  canCompact(revision: Revision): boolean {
    if (revision > this.#newest) throw new StorageError('FutureRevision', { revision: this.#newest });
    return revision > this.#history.compactedRevision;
  }

  /** Resolves when the memory of all dropped history is released. */
  released(): Promise<void> {
    return this.#history.released();
  }

  /** Drops the history up to a past revision. */
  compact(revision: Revision): void {
    this.#history.compact(revision);
    this.#historyDropped();
  }

  /** Drops the history that exceeds its maximum age. */
  forgetExpired(): void {
    const compacted = this.#history.compactedRevision;
    this.#history.expire(this.#clock.now());
    if (this.#history.compactedRevision !== compacted) this.#historyDropped();
  }

  #historyDropped(): void {
    this.#past.dropBefore(this.#history.compactedRevision);
    this.#historyTimer.changed();
  }

  /** Ends the watches and releases all memory. */
  close(): void {
    this.#closed = true;
    this.#leaveBudget?.();
    this.#expiries.cancel();
    this.#historyTimer.close();
    this.#watches.close();
    this.#indexes.close();
    this.#byKey?.clear();
    this.#texts?.clear();
    this.#tree = new RecordTree();
    this.#objectsText.clear();
    this.#history.clear();
    this.#past.dropBefore(Infinity);
    this.#budget = undefined;
  }

  /** Returns the slot that the key has in the tree. */
  #updateRecords(event: StorageEvent): number {
    const { key, record } = event;
    this.#objectsText.apply(event);
    if (event.type === 'delete') {
      const isPresent = this.#byKey === undefined ? this.#tree.get(key) !== undefined : this.#byKey.delete(key);
      return isPresent ? this.#tree.remove(key) : NO_SLOT;
    }
    this.#byKey?.set(key, record);
    if (event.type !== 'create') return this.#tree.replace(record);
    this.#tree.insert(record);
    return NO_SLOT;
  }

  #setDeadline(event: StorageEvent, deadline: Deadline | undefined): void {
    if (deadline === undefined) this.#expiries.remove(event.key);
    else
      this.#expiries.set({
        key: event.key,
        deadline: deadline.deadline,
        revision: event.revision,
        encode: deadline.encode,
      });
  }

  /** Returns the state of an earlier revision; undefined when it is compacted. */
  #pastState(revision: Revision): PastState | undefined {
    this.forgetExpired();
    if (this.#closed || revision > this.#newest || revision < this.#history.compactedRevision) return undefined;
    return this.#past.at(revision, this.#history, this.#newest);
  }

  #presentPage(prefix: string, from: string, side: Side, limit: number): StoragePage {
    const start = this.#tree.position(from, side);
    const total = this.#tree.rankAfterPrefix(prefix) - start.rank;
    const count = Math.min(limit, total);
    return { records: start.take(count), revision: this.#newest, remaining: total - count };
  }

  #pastPage(revision: Revision, prefix: string, from: string, side: Side, limit: number): StoragePage {
    const state = this.#past.at(revision, this.#history, this.#newest);
    const present = this.#tree.position(from, side);
    const old = state.oldRecords.position(from, side);
    const presentCount = this.#tree.rankAfterPrefix(prefix) - present.rank;
    const writtenSince = state.presentRecords.rankAfterPrefix(prefix) - state.presentRecords.rank(from, side);
    const total = presentCount - writtenSince + state.oldRecords.rankAfterPrefix(prefix) - old.rank;
    const count = Math.min(limit, total);
    return { records: state.take(present, presentCount, old, count), revision, remaining: total - count };
  }
}
