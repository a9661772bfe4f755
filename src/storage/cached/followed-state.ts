import { messageOf, type Clock, type Timer } from '../../foundation/index.js';
import type { MemoryAccount, MemoryBudget } from '../memory-budget.js';
import { WriteEvent } from '../state/records/record.js';
import { StoreState } from '../state/store-state.js';
import type {
  Revision,
  Storage,
  StorageEvent,
  StorageRecord,
  StorageWatch,
  StorageWatchEnd,
  StorageWatchSink,
} from '../storage.js';
import type { ReserveText } from '../remote/text-reservation.js';
import { ColdRecord, ColdRecords, type VersionHead } from './cold-records.js';
import type { WatchCacheLoss, WatchCacheSettings } from './options.js';
import { RevisionWaiters } from './revision-waiters.js';

/**
 * The history for reads of past states, such as the later pages of a list. The engine has the whole one, and answers
 * for what is older.
 */
const HISTORY = { history: 60_000, maxHistoryEvents: 50_000 };

/**
 * Delay of a request for progress, in milliseconds. An event is mostly on its way, and a request costs more than it
 * saves.
 */
const PROGRESS_DELAY_MS = 5;

/** The end of a {@link FollowedState}. */
export interface StateEnd {
  readonly reason: WatchCacheLoss | 'closed';
  readonly message: string;
}

/**
 * The current objects of a store in memory: filled from a list, and kept up to date by a watch. A version that cannot be
 * read has its place among them; the reads that need it are left to the engine.
 */
export class FollowedState implements StorageWatchSink {
  readonly acceptsUnreadable = true;
  /** The objects. Only complete once {@link follow} has been called. */
  readonly state: StoreState;
  /** The texts in memory, of a store that is larger than memory. */
  readonly texts: ColdRecords | undefined;
  /** Resolves when the state is no longer kept up to date. */
  readonly ended: Promise<StateEnd>;
  readonly #clock: Clock;
  readonly #waiters: RevisionWaiters;
  readonly #limitBytes: () => number;
  #end: (end: StateEnd) => void = () => undefined;
  #caughtUp: () => void = () => undefined;
  #watch: StorageWatch | undefined;
  /** The newest revision that a read has asked for. */
  #wanted: Revision = 0;
  #progressTimer: Timer | undefined;
  #isOver = false;
  #objects = 0;

  /** @param limitBytes returns the maximum length of the keys and texts */
  constructor({ clock, waitMs, cold }: WatchCacheSettings, limitBytes: () => number) {
    const texts = cold === undefined ? undefined : new ColdRecords(cold.maxBytes, cold.source);
    this.#clock = clock;
    this.texts = texts;
    this.#limitBytes = limitBytes;
    this.#waiters = new RevisionWaiters(clock, waitMs);
    this.state = new StoreState({ clock, ...HISTORY, texts, expire: () => undefined });
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Whether the state is no longer kept up to date. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Number of objects that it was filled with. */
  get objects(): number {
    return this.#objects;
  }

  /** Counts the state against a budget, which may ask to give it up. */
  shareBudget(budget: MemoryBudget): void {
    if (this.#isOver) return;
    const account: MemoryAccount = budget.openCache('watchCache', () =>
      this.giveUp('memory', 'the memory of the server is needed otherwise (limits.memoryBytes, --memory-budget)'),
    );
    this.state.shareBudget(budget, account);
  }

  /** Adds an object of the list that fills the state. */
  add(record: StorageRecord | VersionHead): void {
    if (this.#isOver) return;
    this.state.restore(
      new WriteEvent('create', 'text' in record ? record : new ColdRecord(record), undefined),
      undefined,
    );
    this.#objects += 1;
    this.#checkSize();
  }

  /**
   * Follows the store from the revision of the list. Resolves when the events that the engine already has are in the
   * state, so that it shows no revision in part.
   */
  async follow(inner: Storage): Promise<void> {
    if (this.#isOver) return;
    const caughtUp = new Promise<void>((resolve) => {
      this.#caughtUp = resolve;
    });
    const watch = inner.watch('', this.state.revision, this);
    // The watch may have ended at once.
    if (this.#isOver) {
      watch.stop();
      return;
    }
    this.#watch = watch;
    this.state.startExpiry();
    watch.requestProgress();
    await caughtUp;
  }

  /**
   * Returns the current record of a key, and the revision of the state; undefined when the engine has to answer: the
   * version has gone, since the store has a later one, or it cannot be read.
   *
   * @throws StorageError `Unavailable` when its text cannot be read
   */
  async get(
    key: string,
  ): Promise<{ readonly record: StorageRecord | undefined; readonly revision: Revision } | undefined> {
    const { revision } = this.state;
    const record = this.state.present(key);
    if (!(record instanceof ColdRecord)) return record?.unreadable?.() === undefined ? { record, revision } : undefined;
    const whole = readable(await this.texts?.whole([record]));
    return whole && { record: whole[0], revision };
  }

  /**
   * Returns a page with the texts of its records; undefined when the engine has to answer: one of the versions has gone,
   * or cannot be read.
   *
   * @throws StorageError `Unavailable` when a text cannot be read; what `reserve` throws
   */
  wholePage<Page extends { readonly records: readonly StorageRecord[] }>(
    page: Page,
    reserve?: ReserveText,
  ): Page | undefined | Promise<Page | undefined> {
    const { texts } = this;
    return texts === undefined
      ? readable(page.records) && page
      : texts.whole(page.records, reserve).then((records) => readable(records) && { ...page, records });
  }

  /** Returns the instance of a version in the state, which has its decoded form; otherwise the given one, which it keeps. */
  known(record: StorageRecord): StorageRecord {
    const present = this.state.present(record.key);
    if (present?.modRevision !== record.modRevision || present.unreadable?.() !== undefined) return record;
    return present instanceof ColdRecord ? (this.texts?.hold(present, record) ?? record) : present;
  }

  /** Returns whether the state can show a revision, which it has reached. */
  shows(revision: Revision): boolean {
    if (this.#isOver) return false;
    this.state.forgetExpired();
    return revision >= this.state.compactedRevision && revision <= this.state.revision;
  }

  /**
   * Waits until every write up to a revision is in the state.
   *
   * @returns false when it takes too long, or when the state is over
   */
  reached(revision: Revision): Promise<boolean> | boolean {
    if (this.#isOver) return false;
    if (revision <= this.state.revision) return true;
    this.#wanted = Math.max(this.#wanted, revision);
    this.#progressTimer ??= this.#clock.after(PROGRESS_DELAY_MS, () => {
      this.#progressTimer = undefined;
      if (this.state.revision < this.#wanted) this.#watch?.requestProgress();
    });
    return this.#waiters.wait(revision, this.state.revision);
  }

  events(events: readonly StorageEvent[]): void {
    for (const event of events) {
      if (this.#isOver) return;
      const problem = this.#problemOf(event);
      if (problem !== undefined) return this.giveUp('interrupted', problem);
      this.#apply(event);
    }
    this.#waiters.reached(this.state.revision);
    this.#checkSize();
  }

  progress(revision: Revision): void {
    if (this.#isOver) return;
    this.state.advance(revision);
    this.#caughtUp();
    this.#waiters.reached(this.state.revision);
    this.#waiters.reported();
    if (this.#waiters.isAwaited) this.#watch?.requestProgress();
  }

  end(end: StorageWatchEnd): void {
    if (end.kind === 'closed') return this.giveUp('closed', 'the storage is closed');
    this.giveUp(
      'interrupted',
      end.kind === 'failed'
        ? `the watch of the store failed: ${messageOf(end.error)}`
        : `the watch fell behind the compacted revision ${end.compactRevision}`,
    );
  }

  /** Ends the state and releases its memory. */
  giveUp(reason: StateEnd['reason'], message: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#watch?.stop();
    this.#progressTimer?.cancel();
    this.#waiters.end();
    this.#caughtUp();
    this.state.close();
    this.#end({ reason, message });
  }

  #apply(event: StorageEvent): void {
    const { state, texts } = this;
    const { type, key, record, previous } = event;
    if (texts === undefined || type === 'delete') return state.apply(event, this.#clock.now(), undefined);
    const cold = texts.record(record, state.present(key)?.key ?? key);
    state.apply(new WriteEvent(type, cold, previous), this.#clock.now(), undefined);
    texts.keep(cold);
  }

  /** Returns why an event does not follow from the state; undefined when it does. */
  #problemOf({ type, key, revision, previous }: StorageEvent): string | undefined {
    const present = this.state.present(key);
    const follows = type === 'create' ? present === undefined : present?.modRevision === previous?.modRevision;
    return follows && (type === 'create' || present !== undefined) && revision >= this.state.revision
      ? undefined
      : `the ${type} of ${key} at revision ${revision} does not follow from the state in the cache`;
  }

  #checkSize(): void {
    const limit = this.#limitBytes();
    if (this.state.objectsTextBytes > limit)
      this.giveUp(
        'limit',
        `the objects of the store have more than ${limit} bytes of text (limits.objectsTextBytes, --max-objects-text)`,
      );
  }
}

/** Returns records if all can be read, and undefined otherwise. */
const readable = (records: readonly StorageRecord[] | undefined): readonly StorageRecord[] | undefined =>
  records?.some((record) => record.unreadable?.() !== undefined) === true ? undefined : records;
