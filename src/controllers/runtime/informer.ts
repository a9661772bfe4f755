import {
  Follower,
  objectKey,
  pagesOf,
  type FollowOrigin,
  type ListParameters,
  type ObjectList,
  type WatchEvent,
  type WatchParameters,
} from '../../client/index.js';
import {
  aClock,
  aCount,
  aFunction,
  aText,
  checkOptions,
  consoleLogger,
  matching,
  monotonicMs,
  report,
  visitInTurns,
  withMethods,
  type Clock,
  type OptionChecks,
} from '../../foundation/index.js';
import type { UnreadableObject } from '../../registry/index.js';
import { AsyncGate } from './async-gate.js';
import { InformerCache, type IndexFunction, type InformedObject } from './informer-cache.js';

/** The source of an informer's objects, such as a `ResourceClient`. */
export interface InformerSource<Item> {
  list(parameters: ListParameters): Promise<ObjectList<Item>>;
  watch(parameters: WatchParameters): AsyncIterable<WatchEvent<Item>>;
  /** Where the objects come from: a remote server may be lost without a sign. Default a source in the process. */
  readonly origin?: FollowOrigin | undefined;
}

/** Called for every change of the cache, in order, after the change is made. Must not modify the objects. */
export interface InformerHandler<Item> {
  added?(object: Item): void;
  updated?(object: Item, old: Item): void;
  /** `object` is the last known state. */
  deleted?(object: Item): void;
  /**
   * Called in place of `deleted` with an object that exists but can no longer be read, and has left the cache. `object` is
   * the last known state. Default: `deleted` is called.
   */
  unreadable?(object: Item): void;
  /**
   * Called when all changes up to {@link Informer.revision} have been delivered: after each change, and when a bookmark or
   * a list says that there were no others.
   */
  reached?(): void;
}

/** Options of an {@link Informer}. */
export interface InformerOptions<Item> {
  readonly source: InformerSource<Item>;
  readonly clock: Clock;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Indexes by name, for {@link Informer.find}; see `byUid`, `byOwner` and `byNamespace`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<Item>>> | undefined;
  /**
   * Reduces an object to the part that is cached and passed to handlers; it must keep name, namespace, uid and
   * resourceVersion. Default: the whole object.
   */
  readonly keep?: ((object: Item) => Item) | undefined;
  /** Number of objects per page of a list. Default 500. */
  readonly pageSize?: number | undefined;
  /**
   * Called with each failure of list, watch, handlers, `keep` and index functions, and with the error of each stored
   * object that cannot be read. The informer continues; an error that the callback throws is ignored. Default:
   * `console.error`.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const checks: OptionChecks<InformerOptions<never>> = {
  source: withMethods('a source of objects, such as client.resource(…)', 'list', 'watch'),
  clock: aClock,
  labelSelector: aText,
  fieldSelector: aText,
  indexes: matching(
    'an object of functions, such as { byOwner }',
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((valuesOf) => typeof valuesOf === 'function'),
  ),
  keep: aFunction,
  pageSize: aCount('objects', 1),
  onError: aFunction,
};

const DEFAULT_PAGE = 500;

/**
 * A local copy of a collection: one list, then watches that resume where the last one ended, and a new list when the
 * resource version has expired (410), or watches do not work.
 *
 * With a server in the same process, an object that cannot be read leaves the cache, which handlers without `unreadable`
 * see as its deletion; all other objects stay current.
 */
export class Informer<Item extends InformedObject> {
  readonly #options: InformerOptions<Item>;
  readonly #cache: InformerCache<Item>;
  readonly #handlers = new Set<InformerHandler<Item>>();
  readonly #abort = new AbortController();
  readonly #progress = new AsyncGate();
  readonly #follower: Follower<Item>;
  #running: Promise<void> | undefined;
  #synced = false;
  /** Whether the last attempt to list or to watch has failed. */
  #failing = false;
  /** Number of attempts that have failed. */
  #failures = 0;
  /** Calls of {@link caughtUp} that wait for the informer. */
  #waiting = 0;
  /** Whether the informer stops after the watch in progress. */
  #finishing = false;
  /** Resource version up to which all changes have been delivered. */
  #seen = -1;
  /** When the source last said something, by the clock that is never set. */
  #heardMs: number;

  /** @throws TypeError when an option is missing or invalid */
  constructor(options: InformerOptions<Item>) {
    checkOptions('Informer', options, checks, ['source', 'clock']);
    this.#options = options;
    this.#cache = new InformerCache(options.indexes ?? {});
    this.#heardMs = monotonicMs(options.clock);
    this.#follower = this.#followerOf(options);
  }

  #followerOf({ source, clock, pageSize = DEFAULT_PAGE }: InformerOptions<Item>): Follower<Item> {
    const { entropy, remote = false, closed } = source.origin ?? {};
    const { signal } = this.#abort;
    return new Follower({
      ...{ source, clock, entropy, remote, pageSize, selection: this.#selection() },
      signal: closed === undefined ? signal : AbortSignal.any([signal, closed]),
      sink: {
        known: (key) => this.#cache.get(key),
        keys: () => this.#cache.keys(),
        changed: (key, object) => this.#upsert(key, object),
        deleted: (key) => this.#forget(key),
        reached: (version, listed) => this.#advanceTo(version, listed),
        failed: (error) => this.#failed(error),
      },
      keepAlive: false,
      onUnreadable: this.#unreadable,
      isAwaited: () => this.#waiting > 0,
    });
  }

  /** Starts to list and watch, until the informer is stopped, or its client or the server in the process is closed. */
  start(): void {
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    const ended = this.#options.source.origin?.opened?.();
    await this.#follower.run();
    // It also ends when its client or its server is closed: nothing is to be waited for any more.
    this.#abort.abort();
    this.#progress.open();
    ended?.();
  }

  /** Stops the informer permanently. The cache remains readable. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#progress.open();
    await this.#running;
  }

  /**
   * Stops the informer after the events of the watch in progress, because its objects are no longer served. The cache
   * keeps the objects that were not deleted.
   */
  async finish(): Promise<void> {
    this.#finishing = true;
    this.#follower.finish();
    await this.#running;
    await this.stop();
  }

  /**
   * Calls a handler for every cached object, and then for every change.
   *
   * @returns a function that unsubscribes the handler
   */
  subscribe(handler: InformerHandler<Item>): () => void {
    for (const object of this.#cache.values()) this.#notify(() => handler.added?.(object));
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  /**
   * Adds an index for {@link Informer.find}. Does nothing when the same function has the name already.
   *
   * @throws TypeError when another function has the name; the error of the function for a cached object
   */
  addIndex(name: string, valuesOf: IndexFunction<Item>): void {
    this.#cache.addIndex(name, valuesOf);
  }

  /** Number of cached objects. */
  get size(): number {
    return this.#cache.size;
  }

  /** Returns a cached object by `namespace/name`, or by name for a cluster-scoped kind. */
  get(key: string): Item | undefined {
    return this.#cache.get(key);
  }

  /** Returns the cached objects. */
  values(): Iterable<Item> {
    return this.#cache.values();
  }

  /**
   * Returns the cached objects with a value in an index.
   *
   * @throws TypeError when the index does not exist
   */
  find(index: string, value: string): Item[] {
    return this.#cache.find(index, value);
  }

  /**
   * Returns the keys of the cached objects with a value in an index, for an iteration in several turns of the event
   * loop. It may leave out objects that change meanwhile; the handlers get these changes.
   *
   * @throws TypeError when the index does not exist
   */
  findKeys(index: string, value: string): Iterable<string> {
    return this.#cache.findKeys(index, value);
  }

  /**
   * Resource version up to which all changes are in the cache and were passed to the handlers; -1 before the first
   * list.
   */
  get revision(): number {
    return this.#seen;
  }

  /**
   * Time since the source last said something, in milliseconds: a change, a bookmark, which servers send each minute or
   * so, or a list. It grows while the source cannot be reached, or its connection is dead.
   */
  get staleMs(): number {
    return monotonicMs(this.#options.clock) - this.#heardMs;
  }

  /** Resolves when the cache has the first list, or the informer is stopped. */
  synced(): Promise<void> {
    return this.#waitUntil(() => this.#synced);
  }

  /**
   * Resolves when the cache is at least as new as the collection at the time of the call, or the informer is stopped.
   *
   * A watch does not report that nothing has changed. The collection is therefore listed again and compared, unless the
   * informer has already reached the store's current resource version.
   *
   * @throws ApiError when the collection cannot be listed
   */
  caughtUp(): Promise<void> {
    return this.#catchUp(false);
  }

  /** Whether the collection could not be listed or watched the last time, so that the cache may be out of date. */
  get isFailing(): boolean {
    return this.#failing;
  }

  /** Whether the cache has had the first list. */
  get isSynced(): boolean {
    return this.#synced;
  }

  /** Resolves like {@link Informer.synced}, or when the collection cannot be listed. */
  syncedOrFailing(): Promise<void> {
    return this.#waitUntil(() => this.#synced || this.#failing);
  }

  /** Resolves like {@link Informer.caughtUp}, or when the collection cannot be listed or watched. */
  async caughtUpOrFailing(): Promise<void> {
    try {
      await this.#catchUp(true);
    } catch (error) {
      this.#report(error);
    }
  }

  /** @param givesUp whether to end when the next attempt fails */
  async #catchUp(givesUp: boolean): Promise<void> {
    // A first list that fails may do so for ever: the one below says why, or that it would work now.
    await this.syncedOrFailing();
    const target = await this.#target().catch((error: unknown) => {
      if (!this.#abort.signal.aborted && !this.#finishing) throw error;
      return undefined;
    });
    if (this.#finishing) await this.#running;
    if (target === undefined) return;
    const isCurrent = (): boolean => this.#synced && this.#reached(target);
    const before = this.#failures;
    this.#waiting += 1;
    this.#follower.hurry();
    await this.#waitUntil(() => isCurrent() || (this.#failures > before && (givesUp || !this.#synced)));
    this.#waiting -= 1;
    if (isCurrent()) {
      this.#failing = false;
      this.#follower.recovered();
      this.#raise(target.revision);
    } else if (!givesUp && !this.#abort.signal.aborted) await this.caughtUp();
  }

  async #waitUntil(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#abort.signal.aborted) await this.#progress.wait();
  }

  /**
   * Returns whether the cache has the state of a target. A cache that has seen the newest listed object holds every
   * listed object, and no others exactly when it holds as many. (An object that `keep` failed on is in the list only.)
   */
  #reached({ revision, newest, count }: CatchUpTarget): boolean {
    return this.#seen >= revision || (this.#seen >= newest && this.#cache.size <= count);
  }

  /** Returns the state that the cache must reach to be current, or undefined when it is current. */
  async #target(): Promise<CatchUpTarget | undefined> {
    if (this.#abort.signal.aborted) return undefined;
    const { metadata } = await this.#options.source.list({ ...this.#reading(), limit: 1 });
    if (Number(metadata.resourceVersion) <= this.#seen) return undefined;
    let newest = -1;
    let count = 0;
    const version = await this.#listAll((object) => {
      // An object that somebody has written into the store without a version says nothing.
      newest = Math.max(newest, Number(object.metadata.resourceVersion ?? -1));
      count += 1;
    });
    return { revision: Number(version), newest, count };
  }

  #failed(error: unknown): void {
    this.#failing = true;
    this.#failures += 1;
    this.#report(error);
    this.#progress.open();
  }

  #advanceTo(version: string, listed: boolean): void {
    if (listed) this.#synced = true;
    this.#failing = false;
    this.#raise(Number(version));
    this.#progress.open();
  }

  /** Notes that all changes up to a revision are in the cache. */
  #raise(revision: number): void {
    this.#heardMs = monotonicMs(this.#options.clock);
    this.#seen = Math.max(this.#seen, revision);
    for (const handler of this.#handlers) this.#notify(() => handler.reached?.());
  }

  /**
   * Passes every readable object of the collection to `show`, page by page.
   *
   * @returns the resource version of the listed state
   */
  async #listAll(show: (object: Item) => void): Promise<string> {
    const { source, pageSize: limit = DEFAULT_PAGE } = this.#options;
    let version = '';
    for await (const { items, metadata } of pagesOf((page) => source.list(page), { ...this.#reading(), limit })) {
      await visitInTurns(items, show);
      version = metadata.resourceVersion ?? '';
    }
    return version;
  }

  /** Takes an object that cannot be read out of the cache. */
  readonly #unreadable = ({ namespace, name, error }: UnreadableObject): void => {
    this.#forget(objectKey({ metadata: { namespace, name } }), true);
    this.#progress.open();
    this.#report(error);
  };

  /** Returns the parameters of a list that only counts: the objects that cannot be read are reported elsewhere. */
  #reading(): ListParameters {
    return { ...this.#selection(), onUnreadable: () => undefined, signal: this.#abort.signal };
  }

  #selection(): Pick<ListParameters, 'labelSelector' | 'fieldSelector'> {
    const { labelSelector, fieldSelector } = this.#options;
    return { labelSelector, fieldSelector };
  }

  #upsert(key: string, fresh: Item): void {
    const known = this.#cache.get(key);
    const object = this.#store(key, fresh);
    if (object === undefined) return;
    for (const handler of this.#handlers)
      this.#notify(() => (known === undefined ? handler.added?.(object) : handler.updated?.(object, known)));
  }

  /** Caches an object. Returns undefined when `keep` or an index function throws; the object then counts as deleted. */
  #store(key: string, fresh: Item): Item | undefined {
    try {
      const object = this.#options.keep?.(fresh) ?? fresh;
      this.#cache.set(key, object);
      return object;
    } catch (error) {
      this.#forget(key);
      this.#report(error);
      return undefined;
    }
  }

  /** @param exists whether the object exists, and cannot be read */
  #forget(key: string, exists = false): void {
    const old = this.#cache.get(key);
    if (old === undefined) return;
    this.#cache.delete(key);
    for (const handler of this.#handlers)
      this.#notify(() =>
        exists && handler.unreadable !== undefined ? handler.unreadable(old) : handler.deleted?.(old),
      );
  }

  #notify(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#report(error);
    }
  }

  #report(error: unknown): void {
    const { onError = reportFailure } = this.#options;
    report(() => onError(error));
  }
}

/** The state that an informer must reach. */
interface CatchUpTarget {
  /** Resource version of the listed state. */
  readonly revision: number;
  /** The newest resource version of its objects; -1 when there are none. */
  readonly newest: number;
  /** Number of its objects. */
  readonly count: number;
}

function reportFailure(error: unknown): void {
  consoleLogger.error('informer failed and will retry', { error });
}
