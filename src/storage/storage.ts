/**
 * The storage contract: revisioned key-value, in the vocabulary of etcd.
 *
 * One monotonic revision counts the writes of the whole store: every write gets the next one, and a record remembers the
 * revision that wrote it. Values are texts; the engine does not look into them. Keys are ordered by their UTF-8 bytes. An
 * engine proves itself with the suite in `orch-apiserver/testing` (`storageContract`).
 *
 * @module
 */
import type { HistoryBudget } from './history-budget.js';

/** A point in the history of the store. Revision 0 is before the first write. An engine may use up revisions for what is not a write of a key here. */
export type Revision = number;

/**
 * Makes the stored text of a value for the revision that the write gets. It is called once, and must not throw. An
 * engine that learns the revision only from its own commit calls it with 0, also for a write that it then refuses, and puts the
 * revision in itself: into the text when it reads, and into the decoded form (`metadata.resourceVersion` of an object).
 */
export type ValueEncoder = (revision: Revision) => string;

/** A key with its value at one version. Immutable; the same version is the same instance wherever it is handed out. */
export interface StorageRecord {
  readonly key: string;
  readonly text: string;
  /** Revision of the write that made this version. */
  readonly modRevision: Revision;
  /** Revision of the write that created the key. */
  readonly createRevision: Revision;
  /**
   * The decoded value. A cache that readers of the record keep here; an engine hands on the same record so that it is
   * decoded once. The value must not be changed by anybody.
   */
  decoded: unknown;
  /** What readers of the record have found it to be, kept here by them so that each version is looked at once. Absent until then. */
  form?: unknown;
}

/** A page of a range. */
export interface StoragePage {
  readonly records: readonly StorageRecord[];
  /** The revision whose state the page shows. */
  readonly revision: Revision;
  /** Records of the range behind this page, exactly; 0 when the page reaches the end. */
  readonly remaining: number;
}

/** How to read a range. */
export interface StorageListOptions {
  /** Show the state of this revision. Absent: the state after every write that was acknowledged before the call. */
  readonly revision?: Revision | undefined;
  /** Start behind this key, which need not exist. */
  readonly after?: string | undefined;
  /** At most this many records; absent or 0 is no limit. */
  readonly limit?: number | undefined;
}

/** A write that happened. */
export interface StorageEvent {
  readonly type: 'create' | 'update' | 'delete';
  readonly key: string;
  readonly revision: Revision;
  /** The version that the write made; for a delete, the last version, encoded anew for the deleting revision. */
  readonly record: StorageRecord;
  /** The version before the write; undefined for a create. */
  readonly previous: StorageRecord | undefined;
}

/**
 * Where a watch delivers. No callback may throw, and none may call back into the engine synchronously to write. A callback
 * may run before {@link Storage.watch} has returned.
 */
export interface StorageWatchSink {
  /** Events in order of revision, without a gap. Keys that vanish together by their `ttlMs` may share one revision. */
  events(events: readonly StorageEvent[]): void;
  /** Everything up to this revision has been delivered. An engine calls it when it learns of one without an event. */
  progress(revision: Revision): void;
  /** The watch is over: `compacted` when the wanted past is gone, `closed` with the engine, `failed` with a reason. Called at most once, and not after `stop()`. */
  end(reason: StorageWatchEnd): void;
}

/** Why a watch ended. */
export type StorageWatchEnd =
  | { readonly kind: 'compacted'; readonly compactRevision: Revision }
  | { readonly kind: 'closed' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** A running watch. */
export interface StorageWatch {
  /** Ends the watch without a call to the sink. */
  stop(): void;
  /** Asks for a call of the sink's `progress` soon, with the newest revision of which everything has been delivered. */
  requestProgress(): void;
}

/** What the checks of health are called that ask {@link Storage.ping}. */
export interface StorageHealthChecks {
  /** The one that counts on every endpoint. */
  readonly name: string;
  /** A second one, that counts for readiness alone. */
  readonly readiness?: string;
}

/** A storage engine. Once it is closed, every operation but a watch and a second close is refused with `Unavailable`. */
export interface Storage {
  /** Absent: one check, `storage`. */
  readonly healthChecks?: StorageHealthChecks;

  /**
   * Counts what the engine keeps of the past in this process's memory against a budget, from now on, and forgets the oldest of it when
   * the budget is used up: its history is then compacted. A server calls it once; a later budget replaces an earlier one. Absent
   * in an engine that bounds its memory by itself.
   */
  shareBudget?(budget: HistoryBudget): void;

  /** The record of a key, or undefined. Sees every write acknowledged before the call. */
  get(key: string): Promise<{ readonly record: StorageRecord | undefined; readonly revision: Revision }>;

  /**
   * The records whose keys start with `prefix`, in order of their keys.
   *
   * @throws StorageError `Compacted` when the revision is no longer kept, `FutureRevision` when it has not happened yet
   */
  list(prefix: string, options?: StorageListOptions): Promise<StoragePage>;

  /**
   * Writes a key that does not exist. Resolves when the write is as durable as the engine promises.
   *
   * @throws StorageError `KeyExists` with the present record
   */
  create(key: string, encode: ValueEncoder, options?: StorageWriteOptions): Promise<StorageRecord>;

  /**
   * Writes a key whose present version is `modRevision`.
   *
   * @throws StorageError `KeyNotFound`, or `Conflict` with the present record
   */
  update(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options?: StorageWriteOptions,
  ): Promise<StorageRecord>;

  /**
   * Removes a key whose present version is `modRevision`. The encoder makes that version once more, for the deleting revision;
   * nothing else may be different in it, since not every engine can keep a text with a delete. Of the options only `decoded`
   * counts, for that version.
   *
   * @returns the last version, at the deleting revision
   * @throws StorageError `KeyNotFound`, or `Conflict` with the present record
   */
  delete(
    key: string,
    encode: ValueEncoder,
    modRevision: Revision,
    options?: StorageWriteOptions,
  ): Promise<StorageRecord>;

  /**
   * Delivers the writes to keys that start with `prefix`, beginning with the first one after `fromRevision`. What already
   * happened is delivered before the call returns or soon after; what is to come, after its write was made. A watch may
   * start from the present revision however much is compacted, and from a later one: it then waits for the writes after
   * that. On a closed engine it ends with `closed`.
   */
  watch(prefix: string, fromRevision: Revision, sink: StorageWatchSink): StorageWatch;

  /** When the present keys that vanish by themselves do so, in milliseconds since the epoch; for a copy of the store. */
  expiries(): Promise<ReadonlyMap<string, number>>;

  /** Revision of the newest write. */
  currentRevision(): Promise<Revision>;

  /** Oldest revision that {@link Storage.watch} may start from and {@link Storage.list} may read. */
  compactedRevision(): Promise<Revision>;

  /**
   * Forgets the history up to a revision, whose own state stays readable. A smaller one than before does nothing.
   *
   * @throws StorageError `FutureRevision` when the revision has not happened yet
   */
  compact(revision: Revision): Promise<void>;

  /** Resolves when the engine can serve, rejects with the reason when not; for readiness checks. */
  ping(): Promise<void>;

  /** Ends the watches and frees what the engine holds. */
  close(): Promise<void>;
}

/** Facts of a write that is not part of the value. */
export interface StorageWriteOptions {
  /** The decoded form of the value, to be kept with the record so that nobody decodes it again. */
  readonly decoded?: unknown;
  /**
   * The key vanishes by itself so long after this write, by a delete event with a revision of its own. A later write
   * replaces the time, or, without a `ttlMs`, lifts it.
   */
  readonly ttlMs?: number | undefined;
  /**
   * Makes the text of the last version when the key vanishes by its `ttlMs`, as the encoder of a delete would. Absent: the
   * text stays as it was written. An engine that cannot keep a function past a restart may fall back to that text.
   */
  readonly encodeExpired?: ValueEncoder | undefined;
}

/** What an engine may refuse with. */
export type StorageErrorCode =
  'KeyExists' | 'KeyNotFound' | 'Conflict' | 'Compacted' | 'FutureRevision' | 'Unavailable';

/** A refusal of an engine, with the facts that the layer above needs to answer. */
export class StorageError extends Error {
  readonly code: StorageErrorCode;
  readonly key: string | undefined;
  /** The present record, for `KeyExists` and `Conflict`. */
  readonly current: StorageRecord | undefined;
  /** The store's revision (`FutureRevision`) or the compacted one (`Compacted`). */
  readonly revision: Revision | undefined;

  constructor(
    code: StorageErrorCode,
    facts: {
      key?: string;
      current?: StorageRecord | undefined;
      revision?: Revision;
      message?: string;
      cause?: unknown;
    } = {},
  ) {
    super(
      facts.message ?? `${code}${facts.key === undefined ? '' : `: ${facts.key}`}`,
      facts.cause === undefined ? undefined : { cause: facts.cause },
    );
    this.name = 'StorageError';
    this.code = code;
    this.key = facts.key;
    this.current = facts.current;
    this.revision = facts.revision;
  }
}
