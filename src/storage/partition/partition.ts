/**
 * A part of a store that looks like a store of its own: its keys have a prefix in the store that it shares.
 *
 * @module
 */
import { visitInTurns } from '../../foundation/index.js';
import { decorateStorage } from '../decorate.js';
import type { StorageIndex, StorageMatches, StorageQuery, TermsOf } from '../storage-index.js';
import {
  StorageError,
  type Revision,
  type Storage,
  type StorageEvent,
  type StoragePage,
  type StorageRecord,
  type StorageWatch,
  type StorageWatchSink,
  type StorageWriteOptions,
} from '../storage.js';

/**
 * Returns the part of a store whose keys begin with a prefix. Its users see the keys without the prefix, and never a key
 * of another part: a record with another key is an error.
 *
 * Revisions, history and compaction are those of the whole store: a revision may have no event of this part. Closing
 * the part ends its watches, and leaves the store open. The part does not count its memory: the owner of the store does.
 *
 * @param inner the whole store
 * @param prefix prefix of the keys, such as `/w/3f0c`; it must not be the beginning of the prefix of another part
 */
export function partitionOf(inner: Storage, prefix: string): Storage {
  return new Partition(inner, prefix).storage;
}

/** A record as the users of a part see it. Its text is that of the record in the store, which may not be in memory. */
class PartRecord implements StorageRecord {
  readonly key: string;
  readonly modRevision: Revision;
  readonly createRevision: Revision;
  decoded: unknown;
  form: unknown;
  encodings: unknown;
  readonly #stored: StorageRecord;

  constructor(stored: StorageRecord, key: string) {
    this.key = key;
    this.modRevision = stored.modRevision;
    this.createRevision = stored.createRevision;
    this.decoded = stored.decoded;
    this.form = undefined;
    this.encodings = undefined;
    this.#stored = stored;
  }

  /** Of a version that could not be read, it is known later. */
  get protection(): string | undefined {
    return this.#stored.protection;
  }

  get text(): string {
    return this.#stored.text;
  }

  get textLength(): number | undefined {
    return this.#stored.textLength;
  }

  get unreadable(): (() => Error | undefined) | undefined {
    const stored = this.#stored;
    return stored.unreadable && (() => stored.unreadable?.());
  }
}

/** The keys and records of a part. */
class PartKeys {
  readonly #prefix: string;
  /** The records of the store that were read, each with the one form in which the users of the part see it. */
  readonly #seen = new WeakMap<StorageRecord, StorageRecord>();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Returns the key in the store. */
  readonly outer = (key: string): string => this.#prefix + key;

  /** Returns the key in the part. @throws Error for a key of another part */
  readonly inner = (key: string): string => {
    if (!key.startsWith(this.#prefix))
      throw new Error(`the key ${key} is outside the part ${this.#prefix} of the store`);
    return key.slice(this.#prefix.length);
  };

  /** Returns a record as the users of the part see it. */
  readonly record = (record: StorageRecord): StorageRecord => {
    const known = this.#seen.get(record);
    if (known !== undefined) return known;
    const seen = new PartRecord(record, this.inner(record.key));
    // Readers cache with the record that they see; a second reference would outlive their caches.
    record.decoded = undefined;
    this.#seen.set(record, seen);
    return seen;
  };

  readonly event = ({ type, key, revision, record, previous }: StorageEvent): StorageEvent => ({
    ...{ type, key: this.inner(key), revision, record: this.record(record) },
    previous: previous && this.record(previous),
  });

  page({ records, revision, remaining }: StoragePage): StoragePage {
    return { records: records.map(this.record), revision, remaining };
  }

  /** Returns an error of the store as the users of the part see it. */
  error(error: unknown): unknown {
    if (!(error instanceof StorageError) || (error.key === undefined && error.current === undefined)) return error;
    const { code, key, current, revision, message } = error;
    return new StorageError(code, {
      ...{ revision, key: key?.startsWith(this.#prefix) === true ? this.inner(key) : key },
      current: current && this.record(current),
      message: message.replaceAll(this.#prefix, ''),
      cause: error,
    });
  }

  writeOptions(options: StorageWriteOptions | undefined): StorageWriteOptions | undefined {
    const { while: condition, accepted } = options ?? {};
    if (condition === undefined && accepted === undefined) return options;
    return {
      ...options,
      while: condition && { ...condition, key: this.outer(condition.key) },
      accepted: accepted && ((record) => accepted(this.record(record))),
    };
  }
}

class Partition {
  readonly storage: Storage;
  readonly #inner: Storage;
  readonly #keys: PartKeys;
  readonly #watches = new Set<PartWatch>();
  #closed = false;

  constructor(inner: Storage, prefix: string) {
    this.#inner = inner;
    this.#keys = new PartKeys(prefix);
    const { outer, inner: keyInside, record: seen } = this.#keys;
    this.storage = decorateStorage(inner, {
      shareBudget: undefined,
      index: inner.index === undefined ? undefined : (within, termsOf) => this.#index(within, termsOf),
      isStale:
        inner.isStale &&
        ((record) => inner.isStale?.({ ...record, protection: record.protection, key: outer(record.key) }) === true),
      get: async (key, options) => {
        this.#assertOpen();
        const { record, revision } = await inner.get(outer(key), options);
        return { record: record && seen(record), revision };
      },
      list: async (within, options) => {
        this.#assertOpen();
        const after = options?.after;
        const own = after === undefined ? options : { ...options, after: outer(after) };
        return this.#keys.page(await inner.list(outer(within), own));
      },
      create: (key, encode, options) =>
        this.#written(() => inner.create(outer(key), encode, this.#keys.writeOptions(options))),
      update: (key, encode, modRevision, options) =>
        this.#written(() => inner.update(outer(key), encode, modRevision, this.#keys.writeOptions(options))),
      delete: (key, encode, modRevision, options) =>
        this.#written(() => inner.delete(outer(key), encode, modRevision, this.#keys.writeOptions(options))),
      watch: (within, from, sink) => this.#watch(within, from, sink),
      expiries: async (within = '') => {
        this.#assertOpen();
        const own = new Map<string, number>();
        await visitInTurns(await inner.expiries(outer(within)), ([key, at]) => {
          // A store around the engine may ignore the prefix.
          if (key.startsWith(outer(within))) own.set(keyInside(key), at);
        });
        return own;
      },
      currentRevision: () => this.#open(() => inner.currentRevision()),
      compactedRevision: () => this.#open(() => inner.compactedRevision()),
      compact: (revision) => this.#open(() => inner.compact(revision)),
      ping: () => this.#open(() => inner.ping()),
      close: async () => this.#close(),
    });
  }

  #assertOpen(): void {
    if (this.#closed) throw new StorageError('Unavailable', { message: 'the storage is closed' });
  }

  async #open<Value>(run: () => Promise<Value>): Promise<Value> {
    this.#assertOpen();
    return run();
  }

  async #written(write: () => Promise<StorageRecord>): Promise<StorageRecord> {
    this.#assertOpen();
    try {
      return this.#keys.record(await write());
    } catch (error) {
      throw this.#keys.error(error);
    }
  }

  #watch(within: string, from: Revision, sink: StorageWatchSink): StorageWatch {
    if (this.#closed) {
      sink.end({ kind: 'closed' });
      return { stop: () => undefined, requestProgress: () => undefined };
    }
    const watch = new PartWatch(sink, this.#keys, () => this.#watches.delete(watch));
    this.#watches.add(watch);
    watch.follow(this.#inner.watch(this.#keys.outer(within), from, watch));
    return watch;
  }

  #index(within: string, termsOf: TermsOf): StorageIndex {
    const { outer, record: seen } = this.#keys;
    const index = this.#inner.index?.(outer(within), (record, work) => termsOf(seen(record), work));
    return {
      find: async (query) => {
        if (this.#closed) return undefined;
        const found = await index?.find(outerQuery(query, outer));
        return found && ({ ...found, records: found.records.map(seen) } satisfies StorageMatches);
      },
      drop: () => index?.drop(),
    };
  }

  #close(): void {
    this.#closed = true;
    for (const watch of [...this.#watches]) watch.close();
  }
}

const outerQuery = (query: StorageQuery, outer: (key: string) => string): StorageQuery => ({
  ...query,
  prefix: outer(query.prefix),
  after: query.after === undefined ? undefined : outer(query.after),
});

/** A watch of a part: the sink of a watch of the store. */
class PartWatch implements StorageWatch, StorageWatchSink {
  readonly acceptsUnreadable: boolean | undefined;
  readonly #sink: StorageWatchSink;
  readonly #keys: PartKeys;
  readonly #ended: () => void;
  #below: StorageWatch | undefined;
  #over = false;

  constructor(sink: StorageWatchSink, keys: PartKeys, ended: () => void) {
    this.acceptsUnreadable = sink.acceptsUnreadable;
    this.#sink = sink;
    this.#keys = keys;
    this.#ended = ended;
  }

  /** Takes the watch of the store, whose first events may have come before. */
  follow(below: StorageWatch): void {
    this.#below = below;
    if (this.#over) below.stop();
  }

  events(events: readonly StorageEvent[]): void {
    if (!this.#over) this.#sink.events(events.map(this.#keys.event));
  }

  progress(revision: Revision): void {
    if (!this.#over) this.#sink.progress(revision);
  }

  end(reason: Parameters<StorageWatchSink['end']>[0]): void {
    if (this.#over) return;
    this.#finish();
    this.#sink.end(reason);
  }

  stop(): void {
    this.#finish();
    this.#below?.stop();
  }

  requestProgress(): void {
    this.#below?.requestProgress();
  }

  /** Ends the watch because its part closes. */
  close(): void {
    this.#below?.stop();
    this.end({ kind: 'closed' });
  }

  #finish(): void {
    this.#over = true;
    this.#ended();
  }
}
