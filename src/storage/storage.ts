/**
 * The storage contract: a revisioned key-value store, in etcd's vocabulary.
 *
 * One monotonic revision counts the writes of the whole store. Every write gets the next revision, and a record
 * contains the revision that wrote it. Values are opaque texts. Keys are ordered by their UTF-8 bytes. The suite in
 * `orch-apiserver/testing` (`storageContract`) tests an engine.
 *
 * @module
 */
import type { Clock } from '../foundation/index.js';
import type { ValueCodec } from './encrypted/value-codec.js';
import type { MemoryBudget } from './memory-budget.js';
import type { StorageIndex, TermsOf } from './storage-index.js';

/**
 * A point in the history of the store. Revision 0 precedes the first write. An engine may skip revisions that it uses
 * for other purposes.
 */
export type Revision = number;

/**
 * Encodes a value for the revision of its write. It is called once. That of a create or an update may throw, which
 * refuses the write and changes nothing; any other must not. An engine that learns the
 * revision only from its own commit calls it with 0, even for a write that it then refuses. Such an engine sets the
 * revision itself: in the text when it reads, and in the decoded form (`metadata.resourceVersion` of an object).
 */
export type ValueEncoder = (revision: Revision) => string;

/**
 * A key with its value at one version. Immutable; an engine returns the same instance for the same version while it is in
 * memory. A record whose text leaves the memory ({@link StorageRecord.textLength}) stays the same instance.
 */
export interface StorageRecord {
  readonly key: string;
  /**
   * The value. Where {@link StorageRecord.textLength} is set, it may have to be read from the store.
   *
   * @throws StorageError when it has to be read, and cannot be; what {@link StorageRecord.unreadable} returns
   */
  readonly text: string;
  /**
   * Approximate length of the text, in a record whose text is in memory only while it is used; absent in a record that
   * holds its text.
   */
  readonly textLength?: number | undefined;
  /** Revision of the write of this version. */
  readonly modRevision: Revision;
  /** Revision of the write that created the key. */
  readonly createRevision: Revision;
  /**
   * The decoded value, cached here by readers. An engine returns the same record again, so that each version is decoded
   * once. The value must not be changed.
   */
  decoded: unknown;
  /**
   * A classification of the value, cached here by readers, so that each version is inspected once. Undefined until
   * then.
   */
  form?: unknown;
  /** Encoded forms of the value, cached here by readers, so that they end with the version. Undefined until then. */
  encodings?: unknown;
  /**
   * Identifies the provider and key that protected the value in the store; absent for a value stored as it is. Set by the
   * engine.
   */
  protection?: string | undefined;
  /**
   * Tries to read the value of a version that could not be read when the record was made: it is encrypted with a key that
   * this process lacks, or another program has written it. Returns the error while it cannot be read, and undefined from
   * when it can, as after a reload of the keys. Absent in every other record. Only readers that ask for such records
   * (`acceptsUnreadable`) get them.
   */
  unreadable?: (() => Error | undefined) | undefined;
}

/** A page of a range. */
export interface StoragePage {
  readonly records: readonly StorageRecord[];
  /** The revision whose state the page shows. */
  readonly revision: Revision;
  /** Exact number of records of the range after this page; 0 when the page reaches the end. */
  readonly remaining: number;
}

/** Options of a read of the current state. */
export interface StorageReadOptions {
  /**
   * The answer may show any state of this revision or a later one; 0 allows any state. A storage with a copy of the
   * store then asks nobody. Absent: the state after every write that was acknowledged before the call, which is always
   * allowed once the revision has been reached.
   */
  readonly notOlderThan?: Revision | undefined;
}

/** Options of a list. */
export interface StorageListOptions extends StorageReadOptions {
  /**
   * Revision whose state is read, whatever `notOlderThan` says. Absent: the state after every write that was acknowledged
   * before the call.
   */
  readonly revision?: Revision | undefined;
  /** The list starts after this key, which need not exist. */
  readonly after?: string | undefined;
  /** Maximum number of records; absent or 0 means no limit. */
  readonly limit?: number | undefined;
  /**
   * Called before texts that are not in memory are read, with the bytes that they may have, and again before longer ones
   * are read. What it throws refuses the read. An engine that has all texts, or whose records read their own, never calls it.
   */
  readonly reserve?: ((bytes: number) => void) | undefined;
  /**
   * Whether the page may have records that cannot be read ({@link StorageRecord.unreadable}). Default false: the list
   * fails with the error of the first one.
   */
  readonly acceptsUnreadable?: boolean | undefined;
}

/** A write. */
export interface StorageEvent {
  readonly type: 'create' | 'update' | 'delete';
  readonly key: string;
  readonly revision: Revision;
  /** The new version. For a delete, the last version, encoded again for the revision of the delete. */
  readonly record: StorageRecord;
  /** The version before the write; undefined for a create. */
  readonly previous: StorageRecord | undefined;
}

/**
 * Receives the events of a watch. No callback may throw or write to the engine synchronously. A callback may run before
 * {@link Storage.watch} has returned.
 */
export interface StorageWatchSink {
  /**
   * Whether events may have records that cannot be read ({@link StorageRecord.unreadable}). Default false: the watch ends
   * with `failed` in place of an event whose record, or the one before it, cannot be read. Other watches are not affected,
   * and the event stays in the history: a watch from the same revision gets it once it can be read.
   */
  readonly acceptsUnreadable?: boolean | undefined;
  /**
   * Called with events in order of revision, without gaps. Keys that expire together by their `ttl` may share one
   * revision; the events of a revision come in one call.
   */
  events(events: readonly StorageEvent[]): void;
  /**
   * Called when every event up to this revision has been delivered and the engine learns of the revision without an
   * event.
   */
  progress(revision: Revision): void;
  /**
   * Called at most once, when the watch ends: `compacted` when the requested history is gone, `closed` when the engine
   * closes, `failed` with an error. Not called after `stop()`.
   */
  end(reason: StorageWatchEnd): void;
}

/** The reason why a watch ended. */
export type StorageWatchEnd =
  | { readonly kind: 'compacted'; readonly compactRevision: Revision }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A running watch. */
export interface StorageWatch {
  /** Ends the watch without a call to the sink. */
  stop(): void;
  /** Requests a call of the sink's `progress` with the newest revision up to which every event has been delivered. */
  requestProgress(): void;
}

/** Names of the health checks that call {@link Storage.ping} and {@link Storage.pingWrites}. */
export interface StorageHealthChecks {
  /** Check on every health endpoint. */
  readonly name: string;
  /** Additional check on the readiness endpoint only: whether the engine takes writes. */
  readonly readiness?: string | undefined;
}

/** Options of {@link Storage.fork}. */
export interface StorageForkOptions {
  /** Clock of the new store: for the age of its history and for expiries. */
  readonly clock: Clock;
}

/** The state of the encryption of a storage, for the metrics, the health checks and the agreement of servers. */
export type StorageEncryption = Pick<ValueCodec, 'healthChecks' | 'tally' | 'keys' | 'guardKeys'>;

/** A storage engine. After it is closed, every operation except `watch` and `close` fails with `Unavailable`. */
export interface Storage {
  /** Default: one check, `storage`. */
  readonly healthChecks?: StorageHealthChecks | undefined;

  /**
   * Whether the engine commits writes in the order of their calls, several of them together. A caller that makes many
   * writes in an order then need not wait for one before it calls the next.
   */
  readonly commitsInOrder?: boolean | undefined;

  /**
   * Whether lists read the texts of records from elsewhere, so that a caller who needs few of them reads a range in pages.
   * Default: true for an engine without indexes.
   */
  readonly readsTexts?: boolean | undefined;

  /**
   * Whether other processes may write to the same store. Servers on such a storage elect, for each group of controllers,
   * the one that runs it. Default false.
   */
  readonly isShared?: boolean | undefined;

  /**
   * Counts what the engine keeps in this process's memory against a budget: its history, its indexes, and the current
   * objects. When the budget is exceeded, the engine drops the oldest part of its history, which is then compacted. An
   * engine that counts the objects also limits them (`objectsTextBytes` of the budget). A server calls it once; a later
   * budget replaces an earlier one. Absent in an engine that limits its memory itself.
   */
  shareBudget?(budget: MemoryBudget): void;

  /**
   * Returns an independent store with the current state and the history. Takes the same time and memory at any size:
   * both stores share what neither has changed. Watches are not copied. Absent in an engine that cannot do that.
   *
   * @throws StorageError `Unavailable` when the engine is closed
   */
  fork?(options: StorageForkOptions): Storage;

  /** Returns the record of a key, or undefined. Sees every write acknowledged before the call, unless an option allows less. */
  get(
    key: string,
    options?: StorageReadOptions,
  ): Promise<{ readonly record: StorageRecord | undefined; readonly revision: Revision }>;

  /**
   * Returns the records whose keys start with `prefix`, in key order.
   *
   * @throws StorageError `Compacted` when the revision is no longer kept, `FutureRevision` when it has not been reached
   */
  list(prefix: string, options?: StorageListOptions): Promise<StoragePage>;

  /**
   * Returns an index of the records whose keys start with `prefix`, which ends in `/`. Its memory counts against the
   * shared budget, and the indexes of a store take at most a tenth of it. Absent in an engine without indexes.
   */
  index?(prefix: string, termsOf: TermsOf): StorageIndex;

  /**
   * Creates a key that does not exist. Resolves when the write is as durable as the engine guarantees.
   *
   * @throws StorageError `KeyExists` with the current record; `Full` beyond the limit of the current objects; `Fenced`
   */
  create(key: string, encode: ValueEncoder, options?: StorageWriteOptions): Promise<StorageRecord>;

  /**
   * Updates a key whose current version is `modRevision`.
   *
   * @throws StorageError `KeyNotFound`, or `Conflict` with the current record; `Full` when the objects would grow
   *   beyond their limit; `Fenced`
   */
  update(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options?: StorageWriteOptions,
  ): Promise<StorageRecord>;

  /**
   * Removes a key whose current version is `modRevision`. The encoder encodes that version again for the revision of
   * the delete. It must not change anything else, since some engines cannot store a text with a delete. Of the options,
   * only `decoded`, of that version, and `while` apply.
   *
   * @returns the last version, at the revision of the delete
   * @throws StorageError `KeyNotFound`, or `Conflict` with the current record; `Fenced`
   */
  delete(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options?: StorageWriteOptions,
  ): Promise<StorageRecord>;

  /**
   * Delivers the writes to keys that start with `prefix`, from the first one after `fromRevision`. Past writes are
   * delivered before the call returns or soon after, later ones once they are made. A watch may start from the current
   * revision even if it is compacted, and from a future one: it then waits for the writes after that. On a closed
   * engine it ends with `closed`.
   */
  watch(prefix: string, fromRevision: Revision, sink: StorageWatchSink): StorageWatch;

  /**
   * Returns the expiry times of the current keys that have a `ttl`, in milliseconds since the epoch; used to copy the
   * store.
   *
   * @param prefix beginning of the keys; default all keys
   */
  expiries(prefix?: string): Promise<ReadonlyMap<string, number>>;

  /**
   * Returns a revision that the store is known to have reached, without a request; 0 when none is. Reads with it as
   * `notOlderThan` need no request either. Absent in an engine that keeps no copy of the store, or nothing else.
   */
  knownRevision?(): Revision;

  /** Returns the revision of the newest write. */
  currentRevision(): Promise<Revision>;

  /** Returns the oldest revision that {@link Storage.watch} may start from and {@link Storage.list} may read. */
  compactedRevision(): Promise<Revision>;

  /**
   * Drops the history up to a revision, whose own state stays readable. A revision below the compacted one has no
   * effect.
   *
   * @throws StorageError `FutureRevision` when the revision has not been reached
   */
  compact(revision: Revision): Promise<void>;

  /** Resolves when the engine can serve; otherwise rejects with the reason. Used by readiness checks. */
  ping(): Promise<void>;

  /**
   * Resolves when the engine takes writes; rejects with the reason while it refuses them, as on a full disk. Used by
   * readiness checks. Default: {@link ping}.
   */
  pingWrites?(): Promise<void>;

  /**
   * Returns whether a write of the same value would protect it in another way than it is stored, so that an update
   * without changes must write. Absent in an engine that does not encrypt.
   */
  isStale?(record: StorageRecord): boolean;

  /** The encryption of the values: health checks of its key services, and what it counts. Absent without encryption. */
  readonly encryption?: StorageEncryption | undefined;

  /** Ends all watches and releases all resources. */
  close(): Promise<void>;
}

/** A condition on another key, which holds while its current version stays the same. */
export interface StorageCondition {
  readonly key: string;
  /** Revision of the version; 0 while the key does not exist. */
  readonly modRevision: Revision;
}

/** Options of a write. */
export interface StorageWriteOptions {
  /** The decoded form of the value, kept with the record so that it is not decoded again. */
  readonly decoded?: unknown;
  /**
   * Time to live of the key after this write, in milliseconds. Its expiry is a delete event with its own revision. A
   * later write replaces the time to live, or removes it when it has no `ttl`.
   */
  readonly ttl?: number | undefined;
  /**
   * Encodes the last version when the key expires, as the encoder of a delete would. Absent: the text stays as written.
   * An engine that cannot keep a function across a restart may fall back to that text.
   */
  readonly encodeExpired?: ValueEncoder | undefined;
  /**
   * Maximum growth of the texts, in bytes, with which even a full store accepts the write. Default 0. For the steps of a
   * deletion, and for objects without which the server does not work.
   */
  readonly growthWhenFull?: number | undefined;
  /**
   * The write takes effect only while this condition holds. The engine checks it in the same step as the write, and
   * refuses with `Fenced` before it looks at the version of the key itself. So a former leader, whose term is over,
   * cannot write, even if it does not know that yet.
   */
  readonly while?: StorageCondition | undefined;
  /**
   * Called at most once, before the write is durable, with the record that it will return: from then on a further write of
   * the key must name that version. Both become durable in this order, or the further one fails as well; nobody reads the
   * version before it is durable. An engine that commits a write in one step need not call it, and a delete does not.
   */
  readonly accepted?: ((record: StorageRecord) => void) | undefined;
}

/** Codes of {@link StorageError}. */
export type StorageErrorCode =
  'KeyExists' | 'KeyNotFound' | 'Conflict' | 'Compacted' | 'FutureRevision' | 'Unavailable' | 'Full' | 'Fenced';

/** An error of a storage engine, with the details that the registry needs for its response. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  /** The key of the write; for `Fenced` that of the condition. */
  readonly key: string | undefined;
  /** The current record, for `KeyExists` and `Conflict`. */
  readonly current: StorageRecord | undefined;
  /** The store's revision (`FutureRevision`) or the compacted revision (`Compacted`). */
  readonly revision: Revision | undefined;
  /** Whether the write was refused because a disk of the store is full (`Unavailable`): only somebody can give it space. */
  readonly isDiskFull: boolean;

  constructor(
    code: StorageErrorCode,
    details: {
      key?: string | undefined;
      current?: StorageRecord | undefined;
      revision?: Revision | undefined;
      isDiskFull?: boolean | undefined;
      message?: string | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(
      details.message ?? `${code}${details.key === undefined ? '' : `: ${details.key}`}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.name = 'StorageError';
    this.code = code;
    this.key = details.key;
    this.current = details.current;
    this.revision = details.revision;
    this.isDiskFull = details.isDiskFull ?? false;
  }
}
