import {
  ApiError,
  delay,
  monotonicMs,
  onAbort,
  shareTurn,
  type Clock,
  type Entropy,
  type ListMeta,
} from '../../foundation/index.js';
import type { UnreadableObject } from '../../registry/index.js';
import { backOffMs } from '../back-off.js';
import type { ListParameters, ObjectList, WatchEvent, WatchParameters } from '../client.js';
import { objectKey, type FollowedObject } from './object-key.js';
import { compareVersions } from './version.js';

/** A collection that can be followed, such as that of a `ResourceClient`. */
export interface FollowSource<Item> {
  list(parameters: ListParameters): Promise<ObjectList<Item>>;
  watch(parameters: WatchParameters): AsyncIterable<WatchEvent<Item>>;
}

/** The knowledge of a collection, which learns of its changes. The functions may return a promise to be waited for. */
export interface FollowSink<Item> {
  /** Returns the known state of an object: at least its metadata. */
  known(key: string): FollowedObject | undefined;
  /** Returns the keys of all known objects. */
  keys(): Iterable<string>;
  /**
   * Called with a new state of an object, or the first one. @param listed whether it comes from a list
   */
  changed(key: string, object: Item, listed: boolean): Promise<void> | void;
  /**
   * Called when a known object no longer exists. @param last its last state; undefined when it vanished unseen
   */
  deleted(key: string, last: Item | undefined): Promise<void> | void;
  /** Called when all changes up to a version have been passed on. @param listed whether by a list */
  reached(version: string, listed: boolean): Promise<void> | void;
  /** Called with each failure; the next attempt follows. */
  failed(error: unknown): void;
}

/** Options of a {@link Follower}. */
export interface FollowerOptions<Item extends FollowedObject> {
  readonly source: FollowSource<Item>;
  readonly sink: FollowSink<Item>;
  readonly clock: Clock;
  /** Chance of pauses and timeouts. Default none. */
  readonly entropy: Entropy | undefined;
  /** Whether a connection may be lost without a sign, so that a watch must end from time to time. */
  readonly remote: boolean;
  /** The objects of the collection that are followed. */
  readonly selection: Pick<ListParameters, 'labelSelector' | 'fieldSelector'>;
  /** Objects in a page of a list. */
  readonly pageSize: number;
  /** Whether waiting keeps the process alive. */
  readonly keepAlive: boolean;
  readonly signal: AbortSignal;
  /** Called for each object that cannot be read. */
  readonly onUnreadable: ((unreadable: UnreadableObject) => void) | undefined;
  /** Returns whether somebody waits for the current state, so that a watch that has ended is opened again at once. */
  readonly isAwaited: () => boolean;
}

const BACK_OFF = { firstMs: 800, mostMs: 30_000 };
/** Maximum number of watches in a row that end without an event and are followed by another one without a pause. */
const IMMEDIATE_RETRIES = 32;
/** A watch that ends so soon, without an event, did not work. */
const QUICK_MS = 2_000;
/** Number of such watches in a row after which the version of the next one is taken from a list. */
const QUICK_ENDS = 3;
/** A watch that lasts so long worked, even without an event. */
const STEADY_MS = 120_000;
/** Bounds of the time after which a server ends a watch: balancers drop connections that are idle for 240 s. */
const LEAST_WATCH_SECONDS = 180;
const WATCH_SPREAD_SECONDS = 50;
/** Time after that until a silent watch counts as lost. */
const SILENT_MS = 5_000;
/** Attempts at a list whose pages expire; the last asks for one page. */
const LIST_ATTEMPTS = 3;
/** Number of lists in a row older than what is known that are refused, before the server counts as one that went back. */
const STALE_LISTS = 5;
/**
 * Events from the network that are handled between two shares of a turn. A share makes the host go through its loop once
 * more, which costs as much as a small event; most come alone.
 */
const EVENTS_AT_ONCE = 8;
const GONE = 410;

/**
 * Follows a collection for ever: one list, then watches that resume where the last one ended, and another list only when
 * the version of the watch has expired, or watches do not work. Every change reaches the sink once, in the order of
 * versions; what happened unseen is found by comparing a list with what is known.
 */
export class Follower<Item extends FollowedObject> {
  readonly #options: FollowerOptions<Item>;
  /** Version at which the next watch starts; empty when a list must come first. */
  #version = '';
  /** The highest version that was reached. */
  #newest = '';
  #failures = 0;
  #quickEnds = 0;
  /** Whether a list has been tried because of quick ends, since a watch worked. */
  #listedForQuickEnds = false;
  #staleLists = 0;
  #finishing = false;
  /** Ends the pause before the next attempt; undefined at other times. */
  #pausing: AbortController | undefined;

  constructor(options: FollowerOptions<Item>) {
    this.#options = options;
  }

  /** Whether the follower ends after the watch in progress, or has ended. */
  get #isEnding(): boolean {
    return this.#finishing || this.#options.signal.aborted;
  }

  /** Ends the pause before the next attempt. */
  hurry(): void {
    this.#pausing?.abort();
  }

  /** Forgets the failures so far: the next pauses are short. */
  recovered(): void {
    this.#failures = 0;
  }

  /** Lets {@link run} end after the events of the watch in progress. */
  finish(): void {
    this.#finishing = true;
    this.hurry();
  }

  /** Follows the collection until the signal aborts. */
  async run(): Promise<void> {
    const { sink } = this.#options;
    while (!this.#isEnding) {
      try {
        if (this.#version === '') await this.#list();
        if (this.#isEnding) return;
        await this.#watch();
        if (this.#isEnding) return;
        await this.#pauseAfterEnd();
      } catch (error) {
        if (this.#isEnding) return;
        if (isGone(error)) this.#version = '';
        else sink.failed(error);
        await this.#pause(askedPauseMs(error));
      }
    }
  }

  /** Pauses after a watch that ended without an error, unless somebody waits for what the next one has to say. */
  async #pauseAfterEnd(): Promise<void> {
    if (this.#options.isAwaited() && this.#failures < IMMEDIATE_RETRIES) this.#failures += 1;
    else await this.#pause(0);
  }

  /** Retries immediately the first time, then after growing pauses until a watch works. */
  async #pause(leastMs: number): Promise<void> {
    const { clock, entropy, keepAlive, signal } = this.#options;
    const failures = this.#failures;
    this.#failures += 1;
    const pauseMs = Math.max(leastMs, failures === 0 ? 0 : backOffMs(failures - 1, BACK_OFF, entropy));
    if (pauseMs === 0 || signal.aborted) return;
    const pausing = new AbortController();
    const stopListening = onAbort(signal, () => pausing.abort());
    this.#pausing = pausing;
    await delay(clock, pauseMs, pausing.signal, keepAlive);
    this.#pausing = undefined;
    stopListening();
  }

  /**
   * Watches from the known version until the watch ends.
   *
   * @throws ApiError 410 when that version has expired; what the watch throws
   */
  async #watch(): Promise<void> {
    const { clock, remote } = this.#options;
    const startMs = monotonicMs(clock);
    const silent = remote ? new AbortController() : undefined;
    const timeoutSeconds = remote ? this.#timeoutSeconds() : 0;
    const timer = silent && clock.after(timeoutSeconds * 1000 + SILENT_MS, () => silent.abort());
    let worked = false;
    let handledEvents = 0;
    try {
      for await (const event of this.#events(silent?.signal, timeoutSeconds)) {
        handledEvents += 1;
        if (!remote || handledEvents % EVENTS_AT_ONCE === 0) {
          const turn = shareTurn();
          if (turn !== undefined) await turn;
        }
        if (this.#options.signal.aborted) return;
        if (event.type === 'ERROR') throw ApiError.fromStatus(event.object, GONE);
        worked = true;
        this.#works();
        const handled = this.#handle(event);
        if (handled !== undefined) await handled;
      }
    } finally {
      timer?.cancel();
      const lastedMs = monotonicMs(clock) - startMs;
      if (lastedMs >= STEADY_MS) this.#works();
      else if (!worked && lastedMs < QUICK_MS) this.#endedQuickly();
    }
  }

  #works(): void {
    this.#failures = 0;
    this.#quickEnds = 0;
    this.#listedForQuickEnds = false;
  }

  #endedQuickly(): void {
    this.#quickEnds += 1;
    if (this.#quickEnds < QUICK_ENDS || this.#listedForQuickEnds) return;
    this.#listedForQuickEnds = true;
    this.#version = '';
  }

  #events(silent: AbortSignal | undefined, timeoutSeconds: number): AsyncIterable<WatchEvent<Item>> {
    const { source, selection, signal, keepAlive, onUnreadable } = this.#options;
    return source.watch({
      ...selection,
      ...{ onUnreadable, resourceVersion: this.#version, allowWatchBookmarks: true, keepAlive },
      ...(silent === undefined ? { signal } : { signal: AbortSignal.any([signal, silent]), timeoutSeconds }),
    });
  }

  /** Returns a random time after which a server ends a watch, in seconds. */
  #timeoutSeconds(): number {
    const [chance = 0] = this.#options.entropy?.bytes(1) ?? [];
    return LEAST_WATCH_SECONDS + Math.floor((chance * WATCH_SPREAD_SECONDS) / 256);
  }

  #handle(event: Exclude<WatchEvent<Item>, { type: 'ERROR' }>): Promise<void> | void {
    const version = event.object.metadata.resourceVersion ?? '';
    if (event.type === 'BOOKMARK') return this.#reached(version, false);
    const passed = event.type === 'DELETED' ? this.#gone(event.object) : this.#received(event.object, false, false);
    return passed === undefined ? this.#reached(version, false) : passed.then(() => this.#reached(version, false));
  }

  /** @throws what the list throws; ApiError 410 when its pages expire again and again; Error for a list of the past */
  async #list(): Promise<void> {
    const { pageSize } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#listPages(attempt < LIST_ATTEMPTS ? pageSize : undefined);
        return;
      } catch (error) {
        if (!isGone(error) || attempt === LIST_ATTEMPTS) throw error;
      }
    }
  }

  async #listPages(limit: number | undefined): Promise<void> {
    const { source, selection, sink, signal, onUnreadable } = this.#options;
    const vanished = new Set(sink.keys());
    let wentBack = false;
    let token: string | undefined;
    let metadata: ListMeta;
    do {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      const page = await source.list({ ...selection, onUnreadable, limit, signal, continue: token });
      metadata = page.metadata;
      if (token === undefined) wentBack = this.#checkAge(metadata.resourceVersion ?? '');
      for (const object of page.items) {
        const next = shareTurn();
        if (next !== undefined) await next;
        vanished.delete(objectKey(object));
        const passed = this.#received(object, true, wentBack);
        if (passed !== undefined) await passed;
      }
      token = metadata.continue;
    } while (token !== undefined && token !== '');
    for (const key of vanished) {
      const next = shareTurn();
      if (next !== undefined) await next;
      const passed = sink.deleted(key, undefined);
      if (passed !== undefined) await passed;
    }
    if (wentBack) this.#newest = '';
    await this.#reached(metadata.resourceVersion ?? '', true);
  }

  /**
   * Refuses a list that is older than what is known, as that of a server that lags.
   *
   * @returns whether the server has gone back in time, because it says so again and again
   * @throws Error for a list that is refused
   */
  #checkAge(version: string): boolean {
    const isStale = (compareVersions(version, this.#newest) ?? 0) < 0;
    this.#staleLists = isStale ? this.#staleLists + 1 : 0;
    if (!isStale) return false;
    if (this.#staleLists <= STALE_LISTS)
      throw new Error(`the list has version ${version}, which is older than ${this.#newest}`);
    this.#staleLists = 0;
    return true;
  }

  /** @param wentBack whether an older state replaces a newer one */
  #received(object: Item, listed: boolean, wentBack: boolean): Promise<void> | void {
    const { sink } = this.#options;
    const key = objectKey(object);
    const known = sink.known(key)?.metadata;
    if (known === undefined) return sink.changed(key, object, listed);
    const { uid, resourceVersion = '' } = object.metadata;
    const order = compareVersions(resourceVersion, known.resourceVersion ?? '');
    if (order === 0 || (order !== undefined && order < 0 && !wentBack)) return undefined;
    if (known.uid === uid) return sink.changed(key, object, listed);
    // The object was deleted and created again unseen.
    const passed = sink.deleted(key, undefined);
    return passed === undefined
      ? sink.changed(key, object, listed)
      : passed.then(() => sink.changed(key, object, listed));
  }

  #gone(object: Item): Promise<void> | void {
    const { sink } = this.#options;
    const key = objectKey(object);
    const known = sink.known(key)?.metadata;
    if (known === undefined) return undefined;
    const order = compareVersions(object.metadata.resourceVersion ?? '', known.resourceVersion ?? '');
    // Another object of the same name, created later, is known.
    return order !== undefined && order < 0 ? undefined : sink.deleted(key, object);
  }

  #reached(version: string, listed: boolean): Promise<void> | void {
    this.#version = version;
    if (this.#newest === '' || (compareVersions(version, this.#newest) ?? 1) > 0) this.#newest = version;
    return this.#options.sink.reached(version, listed);
  }
}

/** Returns whether a failure says that a version has expired. */
export const isGone = (error: unknown): error is ApiError => error instanceof ApiError && error.code === GONE;

/** Returns the pause that a server asks for, in milliseconds. */
const askedPauseMs = (error: unknown): number =>
  error instanceof ApiError ? (error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0;
