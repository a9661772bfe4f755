import { appendAll, delay, type Clock } from '../../foundation/index.js';
import { firstUnreadable } from '../record-texts.js';
import { Arrivals } from '../remote/arrivals.js';
import { WriteEvent } from '../state/records/record.js';
import { StorageError, type Revision } from '../storage.js';
import type { Cluster } from './cluster.js';
import type { KeySpace } from './key-space.js';
import type { Records } from './records.js';
import type { MessageStream } from './rpc/connection.js';
import { GrpcCode, RpcError } from './rpc/rpc-error.js';
import { hasReliableProgress } from './version.js';
import {
  EVERY_WATCH,
  encodeWatchCreate,
  encodeWatchProgress,
  type WatchedWrite,
  type WatchResponse,
} from './wire/watches.js';

/** Receives the events of a {@link WatchFeed}. */
export interface WatchFeedSink {
  /**
   * Called with the writes of one message, in order. Writes of one revision stay together. Their records may be ones that
   * cannot be read now.
   */
  events(events: readonly WriteEvent[]): void;
  /**
   * Called with the error of the first of some writes that cannot be read: the watches that would get it end, and cannot
   * pass it until it can be read. All others go on.
   */
  unreadable(error: unknown): void;
  /** Called when the events up to this revision are lost; the feed continues after it. */
  lost(
    reason:
      | { readonly kind: 'compacted'; readonly compactRevision: Revision }
      | { readonly kind: 'failed'; readonly error: unknown },
    revision: Revision,
  ): void;
  /** Called when the feed is interrupted; it reconnects automatically. */
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
const MAX_PAUSE_MS = 2_000;
const PROGRESS_INTERVAL_MS = 200;
/** Maximum time that events in flight are awaited from a member whose progress is not reliable, in milliseconds. */
const UNRELIABLE_WAIT_MS = 100;

/**
 * Follows the whole store with one etcd watch, which feeds all watches of the engine. Events of one watch arrive in
 * order, so the feed always knows its position: the revision up to which every event has arrived. After an interruption
 * it continues from its position, so no event is missed or repeated.
 */
export class WatchFeed {
  readonly #parts: WatchFeedParts;
  readonly #closing = new AbortController();
  #position: Revision;
  #stream: MessageStream | undefined;
  #endFollowing: (() => void) | undefined;
  #reliableProgress = false;
  /** Revision of a write outside of the store, of which no event arrives. */
  #outside: Revision = 0;
  #fragments: WatchedWrite[] = [];
  /** Settles when the received responses are delivered, while one waits for a key service. */
  #held: Promise<void> | undefined;
  #failures = 0;
  readonly #arrivals: Arrivals;
  #progressTimer: { cancel(): void } | undefined;

  /** @param from the feed starts with the first write after this revision */
  constructor(parts: WatchFeedParts, from: Revision) {
    this.#parts = parts;
    this.#position = from;
    this.#arrivals = new Arrivals(parts.clock, () => {
      this.#progressTimer?.cancel();
      this.#progressTimer = undefined;
    });
  }

  /** The revision up to which every event has arrived. */
  get position(): Revision {
    return this.#position;
  }

  /** Follows the store until {@link WatchFeed.close}. */
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
      await this.#held;
      this.#fragments = [];
      this.#arrivals.giveUp();
      await delay(clock, Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, MAX_PAUSE_MS), this.#closing.signal);
      this.#failures += 1;
    }
  }

  /**
   * Resolves when every event up to a revision has arrived, when the feed is interrupted, or after a second. Undefined
   * when there is nothing to wait for.
   */
  reached(revision: Revision): Promise<void> | undefined {
    if (this.#position >= revision || this.#stream === undefined) return undefined;
    return this.#arrivals.wait(revision);
  }

  /**
   * Resolves like {@link WatchFeed.reached} and requests progress from etcd: writes outside of the store advance the
   * revision without an event. Where progress is not reliable, it waits only for events that are on their way.
   */
  async caughtUp(revision: Revision): Promise<void> {
    const reached = this.reached(revision);
    if (reached === undefined) return;
    if (this.#reliableProgress) {
      this.#requestProgress();
      return reached;
    }
    const waiting = new AbortController();
    await Promise.race([reached, delay(this.#parts.clock, UNRELIABLE_WAIT_MS, waiting.signal)]);
    waiting.abort();
  }

  /**
   * Tells the feed that a revision is that of a write outside of the store. It then needs no progress to move beyond it,
   * which not every member reports.
   */
  skip(revision: Revision): void {
    this.#outside = Math.max(this.#outside, revision);
    this.#skipOutside();
  }

  /** Ends the feed. */
  close(): void {
    this.#closing.abort();
    this.#stream?.cancel();
    this.#endFollowing?.();
    this.#arrivals.giveUp();
  }

  /** Opens a stream and follows it to its end. @throws the error that ended it */
  async #follow(): Promise<void> {
    const { cluster, keys } = this.#parts;
    const connection = await cluster.client.connection();
    const headers = await cluster.client.identify(connection);
    this.#reliableProgress = await cluster.versionOf(connection).then(hasReliableProgress);
    await new Promise<void>((resolve, reject) => {
      if (this.#closing.signal.aborted) return resolve();
      this.#endFollowing = resolve;
      const stream = cluster.watch(connection, headers, {
        response: (response) => {
          if (!response.canceled) return this.#receive(response);
          stream.cancel();
          if (response.compactRevision > 0) this.#compacted(response.compactRevision);
          // The cause may be an unknown token; etcd does not report that for a watch.
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
          cluster.client.abandon(connection);
          reject(error);
        },
      });
      this.#stream = stream;
      stream.send(encodeWatchCreate({ ...keys.all, startRevision: this.#position + 1 }));
    });
  }

  /** Takes a response after those before it, which may wait for a key service. */
  #receive(response: WatchResponse): void {
    const taken = this.#held === undefined ? this.#take(response) : this.#held.then(() => this.#take(response));
    if (taken === undefined) return;
    const held = taken.finally(() => {
      if (this.#held === held) this.#held = undefined;
    });
    this.#held = held;
  }

  #take(response: WatchResponse): Promise<void> | undefined {
    this.#failures = 0;
    if (response.created) return undefined;
    if (response.writes.length === 0 && !response.fragment && this.#fragments.length === 0) {
      this.#progress(response);
      return undefined;
    }
    // A large message arrives in fragments, and a fragment may end within a revision.
    appendAll(this.#fragments, response.writes);
    if (response.fragment) return undefined;
    const writes = this.#fragments;
    this.#fragments = [];
    const versions = writes.flatMap(({ type, keyValue, previous }) => [
      ...(type === 'put' ? [keyValue] : []),
      ...(previous === undefined ? [] : [previous]),
    ]);
    const prepared = this.#parts.records.prepareReadable(versions);
    if (prepared === undefined) this.#deliver(writes);
    return prepared?.then(() => this.#deliver(writes));
  }

  #progress({ watchId, header }: WatchResponse): void {
    if (watchId !== EVERY_WATCH || this.#reliableProgress) this.#moveTo(header.revision);
  }

  #deliver(writes: readonly WatchedWrite[]): void {
    if (this.#closing.signal.aborted) return;
    const revision = writes.at(-1)?.keyValue.modRevision ?? this.#position;
    const events: WriteEvent[] = [];
    try {
      for (const write of writes) events.push(this.#eventOf(write));
    } catch (error) {
      return this.#fail(error, writes);
    }
    // Sets the position first, so that a watch started during the delivery sees all of these events.
    this.#position = Math.max(this.#position, revision);
    this.#parts.sink.events(events);
    const unreadable = firstUnreadable(events);
    if (unreadable !== undefined) this.#parts.sink.unreadable(unreadable);
    this.#skipOutside();
    this.#arrivals.arrived(this.#position);
  }

  /** Ends the watches that need events whose former versions are gone. */
  #fail(error: unknown, writes: readonly WatchedWrite[]): void {
    const revision = writes.at(-1)?.keyValue.modRevision ?? this.#position;
    this.#parts.sink.lost({ kind: 'failed', error }, revision);
    this.#moveTo(revision);
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
    const before = previous === undefined ? undefined : records.readOrSeal(previous);
    if (type === 'put')
      return new WriteEvent(before === undefined ? 'create' : 'update', records.readOrSeal(keyValue), before);
    return new WriteEvent('delete', records.readOrSeal(previous ?? keyValue, keyValue.modRevision), before);
  }

  #compacted(compactRevision: Revision): void {
    this.#parts.sink.lost({ kind: 'compacted', compactRevision }, compactRevision);
    this.#failures = 0;
    this.#moveTo(compactRevision);
  }

  #moveTo(revision: Revision): void {
    if (revision <= this.#position) return;
    this.#position = revision;
    this.#arrivals.arrived(this.#position);
  }

  #skipOutside(): void {
    if (this.#outside === this.#position + 1) this.#moveTo(this.#outside);
  }

  /** Repeats the request: a member that lags behind does not answer it. */
  #requestProgress(): void {
    if (!this.#reliableProgress || this.#progressTimer !== undefined) return;
    this.#stream?.send(encodeWatchProgress());
    this.#progressTimer = this.#parts.clock.after(PROGRESS_INTERVAL_MS, () => {
      this.#progressTimer = undefined;
      if (this.#arrivals.isAwaited) this.#requestProgress();
    });
  }
}
