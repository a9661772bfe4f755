import { aClock, checkOptions, promised, visitInTurns, type Clock, type OptionChecks } from '../../foundation/index.js';
import type { MemoryBudget } from '../memory-budget.js';
import { assertAbsent, assertHolds, assertVersion } from '../state/conditions.js';
import { historyChecks, type HistoryOptions } from '../state/history-options.js';
import type { Expiry } from '../state/history/expiry-queue.js';
import { createEvent, heldRecord, replaceEvent, WriteEvent } from '../state/records/record.js';
import { StoreState } from '../state/store-state.js';
import type { StorageIndex, TermsOf } from '../storage-index.js';
import type { SnapshotRecord } from '../transfer/snapshot.js';
import type {
  Revision,
  Storage,
  StorageEvent,
  StorageForkOptions,
  StorageListOptions,
  StoragePage,
  StorageRecord,
  StorageWatch,
  StorageWatchSink,
  StorageWriteOptions,
  ValueEncoder,
} from '../storage.js';

/** Options of {@link createMemoryStorage}. */
export interface MemoryStorageOptions extends HistoryOptions {
  /** Clock for the age of the history and for expiries. */
  readonly clock: Clock;
}

const checks: OptionChecks<MemoryStorageOptions> = { ...historyChecks, clock: aClock };

const NO_OPTIONS: StorageListOptions = {};

/**
 * Creates an empty store in memory.
 *
 * Each write is one synchronous step: it is committed and delivered to the watches before the call returns its promise.
 *
 * @throws TypeError that names the invalid option
 */
export function createMemoryStorage(options: MemoryStorageOptions): Storage {
  checkOptions('createMemoryStorage', options, checks, ['clock']);
  return new MemoryStorage(options);
}

/** A write of another store. */
export interface ReplayedWrite extends Pick<StorageEvent, 'type' | 'key' | 'revision'> {
  /** Of a delete, the last version. */
  readonly text: string;
}

/** A store in memory that repeats the writes of another one, with their revisions. */
export interface ReplayedStorage extends Storage {
  /**
   * Repeats the next write of the other store.
   *
   * @param writtenAt time of the write, in milliseconds since the epoch
   * @throws Error for a write that does not follow from the records and the writes before
   */
  replay(write: ReplayedWrite, writtenAt: number): void;
}

/**
 * Creates a store in memory with the records that another one had at a revision. No key of it expires by itself.
 *
 * @throws TypeError that names the invalid option
 */
export async function createReplayedStorage(
  options: MemoryStorageOptions,
  base: { readonly revision: Revision; readonly records: Iterable<Omit<SnapshotRecord, 'expiresAt'>> },
): Promise<ReplayedStorage> {
  checkOptions('createReplayedStorage', options, checks, ['clock']);
  const storage = new MemoryStorage(options);
  await storage.begin(base);
  return storage;
}

class MemoryStorage implements ReplayedStorage {
  readonly #clock: Clock;
  readonly #state: StoreState;

  /** @param from state that the store begins with */
  constructor(options: MemoryStorageOptions, from?: StoreState) {
    this.#clock = options.clock;
    const own = { ...options, expire: (expiry: Expiry): void => this.#expire(expiry) };
    this.#state = from === undefined ? new StoreState(own) : from.fork(own);
    this.#state.startExpiry();
  }

  /** Begins with records of another store. Nothing may have been read or written before. */
  async begin({ revision, records }: Parameters<typeof createReplayedStorage>[1]): Promise<void> {
    this.#state.beginReading(revision);
    await visitInTurns(records, ({ key, text, modRevision, createRevision }) => {
      const record = heldRecord(key, text, modRevision, createRevision, undefined);
      this.#state.restore(new WriteEvent('create', record, undefined), undefined);
    });
  }

  replay({ type, key, text, revision }: ReplayedWrite, writtenAt: number): void {
    const current = this.#state.present(key);
    if ((type === 'create') !== (current === undefined) || revision < this.#state.revision)
      throw new Error(`the ${type} of ${key} at revision ${revision} does not follow from the writes before it`);
    const event =
      type === 'create' || current === undefined
        ? createEvent(key, text, revision, undefined)
        : replaceEvent(type, current, text, revision, undefined);
    this.#state.apply(event, writtenAt, undefined);
  }

  fork({ clock }: StorageForkOptions): Storage {
    return new MemoryStorage({ clock }, this.#state);
  }

  shareBudget(budget: MemoryBudget): void {
    this.#state.shareBudget(budget);
  }

  get(key: string): Promise<{ readonly record: StorageRecord | undefined; readonly revision: Revision }> {
    return promised(() => {
      this.#state.assertOpen();
      return { record: this.#state.present(key), revision: this.#state.revision };
    });
  }

  list(prefix: string, options: StorageListOptions = NO_OPTIONS): Promise<StoragePage> {
    const page = (): StoragePage => {
      this.#state.assertOpen();
      return this.#state.page(prefix, options);
    };
    return this.#state.pastReady(options.revision)?.then(page) ?? promised(page);
  }

  async create(key: string, encode: ValueEncoder, options?: StorageWriteOptions): Promise<StorageRecord> {
    this.#assertWritable(options);
    assertAbsent(key, this.#state.present(key));
    const revision = this.#state.revision + 1;
    const event = createEvent(key, encode(revision), revision, options?.decoded);
    this.#state.assertFits(event, options);
    return this.#commit(event, options);
  }

  async update(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options?: StorageWriteOptions,
  ): Promise<StorageRecord> {
    this.#assertWritable(options);
    const current = assertVersion(key, this.#state.present(key), modRevision);
    const revision = this.#state.revision + 1;
    const event = replaceEvent('update', current, encode(revision), revision, options?.decoded);
    this.#state.assertFits(event, options);
    return this.#commit(event, options);
  }

  async delete(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options?: StorageWriteOptions,
  ): Promise<StorageRecord> {
    this.#assertWritable(options);
    const current = assertVersion(key, this.#state.present(key), modRevision);
    const revision = this.#state.revision + 1;
    return this.#commit(replaceEvent('delete', current, encode(revision), revision, options?.decoded), undefined);
  }

  index(prefix: string, termsOf: TermsOf): StorageIndex {
    return this.#state.index(prefix, termsOf);
  }

  watch(prefix: string, fromRevision: Revision, sink: StorageWatchSink): StorageWatch {
    return this.#state.watch(prefix, fromRevision, sink);
  }

  async expiries(prefix = ''): Promise<ReadonlyMap<string, number>> {
    this.#state.assertOpen();
    return this.#state.deadlines(prefix);
  }

  async currentRevision(): Promise<Revision> {
    this.#state.assertOpen();
    return this.#state.revision;
  }

  async compactedRevision(): Promise<Revision> {
    this.#state.assertOpen();
    this.#state.forgetExpired();
    return this.#state.compactedRevision;
  }

  async compact(revision: Revision): Promise<void> {
    this.#state.assertOpen();
    if (!this.#state.canCompact(revision)) return;
    this.#state.compact(revision);
    await this.#state.released();
  }

  async ping(): Promise<void> {
    this.#state.assertOpen();
  }

  async close(): Promise<void> {
    this.#state.close();
  }

  /** @throws StorageError `Unavailable` when the store is closed; `Fenced` */
  #assertWritable(options: StorageWriteOptions | undefined): void {
    this.#state.assertOpen();
    const condition = options?.while;
    if (condition !== undefined) assertHolds(condition, this.#state.present(condition.key));
  }

  #commit(event: StorageEvent, options: StorageWriteOptions | undefined): StorageRecord {
    const now = this.#clock.now();
    this.#state.apply(
      event,
      now,
      options?.ttl === undefined ? undefined : { deadline: now + options.ttl, encode: options.encodeExpired },
    );
    return event.record;
  }

  #expire(expiry: Expiry): void {
    const current = this.#state.present(expiry.key);
    if (current === undefined) return;
    const revision = this.#state.revision + 1;
    this.#commit(
      replaceEvent('delete', current, expiry.encode?.(revision) ?? current.text, revision, undefined),
      undefined,
    );
  }
}
