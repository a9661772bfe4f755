import type { Clock } from '../../meta/clock.js';
import { StorageError } from '../storage.js';
import type {
  Revision, Storage, StorageEvent, StorageListOptions, StoragePage, StorageRecord, StorageWatch, StorageWatchSink, StorageWriteOptions, ValueEncoder,
} from '../storage.js';
import { EventHistory } from './event-history.js';
import type { Expiry } from './expiry-queue.js';
import { ExpirySchedule } from './expiry-schedule.js';
import { precedesByCodePoint } from './key-order.js';
import { PastStates } from './past-state.js';
import { MemoryEvent, MemoryRecord } from './record.js';
import { RecordTree, Side } from './record-tree.js';
import { WatchHub, endSink } from './watch-hub.js';

/** What {@link createMemoryStorage} is made from. */
export interface MemoryStorageOptions {
  /** Tells the age of the history and the time of expiries. */
  readonly clock: Clock;
  /** Milliseconds for which old revisions can be read and watched from; default 300,000. */
  readonly historyMs?: number;
  /** Most events kept, however young; default 1,000,000. */
  readonly maxHistoryEvents?: number;
  /** Most text that only the history still holds (superseded and deleted versions), in UTF-16 code units; default 512 Mi. */
  readonly maxHistoryTextLength?: number;
}

const DEFAULT_HISTORY_MS = 300_000;
const DEFAULT_MAX_EVENTS = 1_000_000;
const DEFAULT_MAX_TEXT_LENGTH = 512 * 1024 * 1024;
/** The revision of an empty store, as in etcd: the first write gets the one after it. */
const FIRST_REVISION: Revision = 1;
const NO_OPTIONS: StorageListOptions = {};
const STOPPED: StorageWatch = { stop: () => undefined, requestProgress: () => undefined };

/**
 * Makes an empty store in memory.
 *
 * Each write is one synchronous step: it is committed and delivered to the watches before the call returns its promise.
 */
export function createMemoryStorage(options: MemoryStorageOptions): Storage {
  return new MemoryStorage(options);
}

class MemoryStorage implements Storage {
  private readonly clock: Clock;
  private readonly byKey = new Map<string, StorageRecord>();
  private tree = new RecordTree();
  private readonly history: EventHistory;
  private readonly past = new PastStates();
  private readonly watches = new WatchHub(() => this.revision);
  private readonly expiries: ExpirySchedule;
  private revision = FIRST_REVISION;
  private closed = false;

  constructor(options: MemoryStorageOptions) {
    this.clock = options.clock;
    this.expiries = new ExpirySchedule(options.clock, (expiry) => this.expire(expiry));
    this.history = new EventHistory({
      historyMs: options.historyMs ?? DEFAULT_HISTORY_MS,
      maxEvents: options.maxHistoryEvents ?? DEFAULT_MAX_EVENTS,
      maxTextLength: options.maxHistoryTextLength ?? DEFAULT_MAX_TEXT_LENGTH,
    });
  }

  async get(key: string): Promise<{ readonly record: StorageRecord | undefined; readonly revision: Revision }> {
    this.assertOpen();
    return { record: this.byKey.get(key), revision: this.revision };
  }

  async list(prefix: string, options: StorageListOptions = NO_OPTIONS): Promise<StoragePage> {
    this.assertOpen();
    const revision = options.revision ?? this.revision;
    if (revision > this.revision) throw new StorageError('FutureRevision', { revision: this.revision });
    if (revision < this.revision) this.forgetExpiredHistory();
    if (revision < this.history.compactedRevision) throw new StorageError('Compacted', { revision: this.history.compactedRevision });
    const after = options.after;
    const inside = after !== undefined && after.startsWith(prefix);
    if (after !== undefined && !inside && precedesByCodePoint(prefix, after)) return { records: [], revision, remaining: 0 };
    const from = inside ? after : prefix;
    const side = inside ? Side.Behind : Side.Before;
    const limit = options.limit !== undefined && options.limit > 0 ? options.limit : Infinity;
    return revision === this.revision ? this.presentPage(prefix, from, side, limit) : this.pastPage(revision, prefix, from, side, limit);
  }

  async create(key: string, encode: ValueEncoder, options?: StorageWriteOptions): Promise<StorageRecord> {
    this.assertOpen();
    const current = this.byKey.get(key);
    if (current !== undefined) throw new StorageError('KeyExists', { key, current });
    const revision = this.revision + 1;
    const record = new MemoryRecord(key, encode(revision), revision, revision, options?.decoded);
    this.byKey.set(key, record);
    this.tree.insert(record);
    this.commit(new MemoryEvent('create', record, undefined), options);
    return record;
  }

  async update(key: string, encode: ValueEncoder, modRevision: Revision, options?: StorageWriteOptions): Promise<StorageRecord> {
    const current = this.currentAt(key, modRevision);
    const revision = this.revision + 1;
    const record = new MemoryRecord(current.key, encode(revision), revision, current.createRevision, options?.decoded);
    this.byKey.set(current.key, record);
    this.tree.replace(record);
    this.commit(new MemoryEvent('update', record, current), options);
    return record;
  }

  async delete(key: string, encode: ValueEncoder, modRevision: Revision, options?: StorageWriteOptions): Promise<StorageRecord> {
    const current = this.currentAt(key, modRevision);
    const revision = this.revision + 1;
    return this.removeKey(current, encode(revision), options?.decoded);
  }

  watch(prefix: string, fromRevision: Revision, sink: StorageWatchSink): StorageWatch {
    if (this.closed) {
      endSink(sink, { kind: 'closed' });
      return STOPPED;
    }
    this.forgetExpiredHistory();
    const compactRevision = this.history.compactedRevision;
    if (fromRevision < compactRevision) {
      endSink(sink, { kind: 'compacted', compactRevision });
      return STOPPED;
    }
    const current = this.revision;
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

  async currentRevision(): Promise<Revision> {
    this.assertOpen();
    return this.revision;
  }

  async compactedRevision(): Promise<Revision> {
    this.assertOpen();
    this.forgetExpiredHistory();
    return this.history.compactedRevision;
  }

  async compact(revision: Revision): Promise<void> {
    this.assertOpen();
    if (revision > this.revision) throw new StorageError('FutureRevision', { revision: this.revision });
    this.history.compact(revision);
    this.past.dropBefore(this.history.compactedRevision);
  }

  async ping(): Promise<void> {
    this.assertOpen();
  }

  async close(): Promise<void> {
    if (this.closed) return;
    this.closed = true;
    this.expiries.cancel();
    this.watches.endAll({ kind: 'closed' });
    this.byKey.clear();
    this.tree = new RecordTree();
    this.history.clear();
    this.past.dropBefore(Infinity);
  }

  private assertOpen(): void {
    if (this.closed) throw new StorageError('Unavailable', { message: 'the storage is closed' });
  }

  /** The present record of a key, which must be the version that the writer knows. */
  private currentAt(key: string, modRevision: Revision): StorageRecord {
    this.assertOpen();
    const current = this.byKey.get(key);
    if (current === undefined) throw new StorageError('KeyNotFound', { key });
    if (current.modRevision !== modRevision) throw new StorageError('Conflict', { key, current });
    return current;
  }

  private removeKey(current: StorageRecord, text: string, decoded: unknown): StorageRecord {
    const record = new MemoryRecord(current.key, text, this.revision + 1, current.createRevision, decoded);
    this.byKey.delete(current.key);
    this.tree.remove(current.key);
    this.commit(new MemoryEvent('delete', record, current), undefined);
    return record;
  }

  /** The end of every write: the revision is taken, the history and the expiry know of it, the watches hear of it. */
  private commit(event: StorageEvent, options: StorageWriteOptions | undefined): void {
    this.revision = event.revision;
    const now = this.clock.now();
    const compacted = this.history.compactedRevision;
    this.history.append(event, now);
    if (this.history.compactedRevision !== compacted) this.past.dropBefore(this.history.compactedRevision);
    if (options?.ttlMs === undefined) this.expiries.remove(event.key);
    else this.expiries.set({ key: event.key, deadline: now + options.ttlMs, revision: event.revision, encode: options.encodeExpired }, now);
    this.watches.publish(event);
  }

  private presentPage(prefix: string, from: string, side: Side, limit: number): StoragePage {
    const start = this.tree.position(from, side);
    const total = this.tree.rankBehindPrefix(prefix) - start.rank;
    const count = Math.min(limit, total);
    return { records: start.take(count), revision: this.revision, remaining: total - count };
  }

  private pastPage(revision: Revision, prefix: string, from: string, side: Side, limit: number): StoragePage {
    const state = this.past.at(revision, this.history, this.revision);
    const present = this.tree.position(from, side);
    const then = state.then.position(from, side);
    const presentCount = this.tree.rankBehindPrefix(prefix) - present.rank;
    const writtenSince = state.now.rankBehindPrefix(prefix) - state.now.rank(from, side);
    const total = presentCount - writtenSince + state.then.rankBehindPrefix(prefix) - then.rank;
    const count = Math.min(limit, total);
    return { records: state.take(present, presentCount, then, count), revision, remaining: total - count };
  }

  private forgetExpiredHistory(): void {
    const compacted = this.history.compactedRevision;
    this.history.expire(this.clock.now());
    if (this.history.compactedRevision !== compacted) this.past.dropBefore(this.history.compactedRevision);
  }

  private expire(expiry: Expiry): void {
    const current = this.byKey.get(expiry.key);
    if (current !== undefined) this.removeKey(current, expiry.encode?.(this.revision + 1) ?? current.text, undefined);
  }
}
