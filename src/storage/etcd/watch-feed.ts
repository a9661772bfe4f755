import { delay, type Clock } from '../../meta/clock.js';
import { WriteEvent } from '../state/record.js';
import { StorageError, type Revision } from '../storage.js';
import type { Cluster } from './cluster.js';
import type { KeySpace } from './key-space.js';
import type { Records } from './records.js';
import type { MessageStream } from './rpc/connection.js';
import { GrpcCode, RpcError } from './rpc/rpc-error.js';
import { tellsSafeProgress } from './version.js';
import {
  EVERY_WATCH,
  encodeWatchCreate,
  encodeWatchProgress,
  type WatchedWrite,
  type WatchResponse,
} from './wire/watches.js';

/** Where a {@link WatchFeed} delivers. */
export interface WatchFeedSink {
  /** The writes of one message, in order; those of one revision are never parted. */
  events(events: readonly WriteEvent[]): void;
  /** What comes next is not known, up to this revision; the feed goes on behind it. */
  lost(
    reason:
      | { readonly kind: 'compacted'; readonly compactRevision: Revision }
      | { readonly kind: 'failed'; readonly error: unknown },
    revision: Revision,
  ): void;
  /** The feed is interrupted, and tries again by itself. */
  interrupted(error: unknown): void;
}

/** The parts that a {@link WatchFeed} works with. */
export interface WatchFeedParts {
  readonly cluster: Cluster;
  readonly keys: KeySpace;
  readonly records: Records;
  readonly clock: Clock;
  readonly sink: WatchFeedSink;
}

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** How long somebody waits for a revision that does not come. */
const PATIENCE_MS = 1_000;
const PROGRESS_INTERVAL_MS = 200;

interface Waiter {
  readonly revision: Revision;
  readonly since: number;
  readonly resolve: () => void;
}

/**
 * Follows everything that is stored: one watch of etcd, of which all watches of the engine live. It knows at each moment up to
 * which revision everything has come, since what one watch tells is in order; and after an interruption it goes on behind
 * that, so that nothing is missed and nothing comes twice.
 */
export class WatchFeed {
  readonly #parts: WatchFeedParts;
  readonly #closing = new AbortController();
  #position: Revision;
  #stream: MessageStream | undefined;
  #endFollowing: (() => void) | undefined;
  #safeProgress = false;
  #fragments: WatchedWrite[] = [];
  #failures = 0;
  #waiting: Waiter[] = [];
  #patience: { cancel(): void } | undefined;
  #asking: { cancel(): void } | undefined;

  /** @param from the feed begins with the first write after this revision */
  constructor(parts: WatchFeedParts, from: Revision) {
    this.#parts = parts;
    this.#position = from;
  }

  /** Everything up to this revision has come. */
  get position(): Revision {
    return this.#position;
  }

  /** Follows until {@link WatchFeed.close}. */
  async run(): Promise<void> {
    const { clock, sink } = this.#parts;
    while (!this.#closing.signal.aborted) {
      try {
        await this.#follow();
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        sink.interrupted(error);
      }
      this.#stream = undefined;
      this.#fragments = [];
      this.#releaseAll();
      await delay(clock, Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS), this.#closing.signal);
      this.#failures += 1;
    }
  }

  /**
   * Resolves when everything up to a revision has come, when the feed is interrupted, or when it takes too long: it is a
   * courtesy to the watches, and holds up nobody.
   */
  reached(revision: Revision): Promise<void> | undefined {
    if (this.#position >= revision || this.#stream === undefined) return undefined;
    return new Promise((resolve) => {
      this.#waiting.push({ revision, since: this.#parts.clock.now(), resolve });
      if (this.#patience === undefined) this.#losePatienceLater();
    });
  }

  /**
   * Resolves like {@link WatchFeed.reached}, and asks etcd how far the feed is: writes outside of what is followed show in
   * nothing else.
   */
  async caughtUp(revision: Revision): Promise<void> {
    const reached = this.reached(revision);
    if (reached === undefined) return;
    this.#askForProgress();
    await reached;
  }

  /** Ends it. */
  close(): void {
    this.#closing.abort();
    this.#stream?.cancel();
    this.#endFollowing?.();
    this.#releaseAll();
  }

  /** Opens a stream and follows it to its end. @throws what ended it */
  async #follow(): Promise<void> {
    const { cluster, keys } = this.#parts;
    const connection = await cluster.client.connection();
    const headers = await cluster.client.identify(connection);
    this.#safeProgress = await cluster.versionOf(connection).then(tellsSafeProgress);
    await new Promise<void>((resolve, reject) => {
      if (this.#closing.signal.aborted) return resolve();
      this.#endFollowing = resolve;
      const stream = cluster.watch(connection, headers, {
        response: (response) => {
          if (!response.canceled) return this.#take(response);
          stream.cancel();
          if (response.compactRevision > 0) this.#compacted(response.compactRevision);
          // etcd does not say of a watch whether it is the token that it does not know.
          else cluster.client.forgetIdentity(headers);
          reject(
            new RpcError(
              GrpcCode.Unavailable,
              `etcd ended the watch: ${response.cancelReason || `compacted up to revision ${response.compactRevision}`}`,
              'none',
              'elsewhere',
            ),
          );
        },
        end: (error) => {
          cluster.client.leave(connection);
          reject(error);
        },
      });
      this.#stream = stream;
      stream.send(encodeWatchCreate({ ...keys.all, startRevision: this.#position + 1 }));
    });
  }

  #take(response: WatchResponse): void {
    this.#failures = 0;
    if (response.created) return;
    if (response.writes.length === 0 && !response.fragment && this.#fragments.length === 0)
      return this.#progress(response);
    // A message that is large comes in parts, and a part may end within a revision.
    this.#fragments.push(...response.writes);
    if (response.fragment) return;
    const writes = this.#fragments;
    this.#fragments = [];
    this.#deliver(writes);
  }

  #progress({ watchId, header }: WatchResponse): void {
    if (watchId !== EVERY_WATCH || this.#safeProgress) this.#moveTo(header.revision);
  }

  #deliver(writes: readonly WatchedWrite[]): void {
    const revision = writes.at(-1)?.keyValue.modRevision ?? this.#position;
    const events: WriteEvent[] = [];
    try {
      for (const write of writes) events.push(this.#eventOf(write));
    } catch (error) {
      this.#parts.sink.lost({ kind: 'failed', error }, revision);
      return this.#moveTo(revision);
    }
    // The position first: who looks from within a delivery is told of all of it.
    this.#position = Math.max(this.#position, revision);
    this.#parts.sink.events(events);
    this.#release();
  }

  #eventOf({ type, keyValue, previous }: WatchedWrite): WriteEvent {
    const { records } = this.#parts;
    const created = keyValue.createRevision === keyValue.modRevision;
    if (previous === undefined && (type === 'delete' || !created)) {
      throw new StorageError('Compacted', {
        revision: keyValue.modRevision,
        message: `the version before revision ${keyValue.modRevision} is compacted already`,
      });
    }
    const before = previous === undefined ? undefined : records.read(previous);
    if (type === 'put')
      return new WriteEvent(before === undefined ? 'create' : 'update', records.read(keyValue), before);
    return new WriteEvent('delete', records.read(previous ?? keyValue, keyValue.modRevision), before);
  }

  #compacted(compactRevision: Revision): void {
    this.#parts.sink.lost({ kind: 'compacted', compactRevision }, compactRevision);
    this.#failures = 0;
    this.#moveTo(compactRevision);
  }

  #moveTo(revision: Revision): void {
    if (revision <= this.#position) return;
    this.#position = revision;
    this.#release();
  }

  #release(): void {
    if (this.#waiting.length === 0) return;
    const still = this.#waiting.filter(({ revision }) => revision > this.#position);
    const done = this.#waiting.filter(({ revision }) => revision <= this.#position);
    this.#waiting = still;
    for (const { resolve } of done) resolve();
    if (still.length === 0) this.#stopTimers();
  }

  #releaseAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { resolve } of waiting) resolve();
    this.#stopTimers();
  }

  #stopTimers(): void {
    this.#patience?.cancel();
    this.#asking?.cancel();
    this.#patience = this.#asking = undefined;
  }

  #losePatienceLater(): void {
    const { clock } = this.#parts;
    this.#patience = clock.after(PATIENCE_MS, () => {
      const before = clock.now() - PATIENCE_MS;
      for (const waiter of this.#waiting) if (waiter.since <= before) waiter.resolve();
      this.#waiting = this.#waiting.filter(({ since }) => since > before);
      this.#patience = undefined;
      if (this.#waiting.length > 0) this.#losePatienceLater();
      else this.#stopTimers();
    });
  }

  /** Asks again and again: a member that is behind tells nothing. */
  #askForProgress(): void {
    if (!this.#safeProgress || this.#asking !== undefined) return;
    this.#stream?.send(encodeWatchProgress());
    this.#asking = this.#parts.clock.after(PROGRESS_INTERVAL_MS, () => {
      this.#asking = undefined;
      if (this.#waiting.length > 0) this.#askForProgress();
    });
  }
}
