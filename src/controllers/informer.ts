import type { ListParameters, ObjectList, UnreadableObject, WatchEvent, WatchParameters } from '../client/index.js';
import { ApiError } from '../meta/api-error.js';
import { delay, type Clock } from '../meta/clock.js';
import { aCount, aFunction, aText, checkOptions, matching, withMethods, type OptionChecks } from '../meta/options.js';
import { report } from '../meta/report.js';
import { shareTurn } from '../meta/turn.js';
import { consoleLogger } from '../meta/logger.js';
import { AsyncGate } from './async-gate.js';
import { InformerCache, objectKey, type IndexFunction, type InformedObject } from './informer-cache.js';

/** Where an informer gets its objects from; a `ResourceClient` is one. */
export interface InformerSource<Item> {
  list(parameters: ListParameters): Promise<ObjectList<Item>>;
  watch(parameters: WatchParameters): AsyncIterable<WatchEvent<Item>>;
}

/** Told of every change of the cache, in order, after the cache has it. Must not change the objects. */
export interface InformerHandler<Item> {
  added?(object: Item): void;
  updated?(object: Item, old: Item): void;
  /** `object` is the last state that is known. */
  deleted?(object: Item): void;
}

/** How an {@link Informer} works. */
export interface InformerOptions<Item> {
  readonly source: InformerSource<Item>;
  readonly clock: Clock;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Indexes by name, for {@link Informer.find}; see `byUid`, `byOwner` and `byNamespace`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<Item>>>;
  /** What of an object is kept in memory and shown to handlers: name, namespace, uid and resourceVersion at least. Default all. */
  readonly keep?: (object: Item) => Item;
  /** Objects that are listed at once. Default 500. */
  readonly pageSize?: number;
  /** Called with failures of list, watch, handlers, `keep` and index functions, and with what is stored and cannot be read. What it throws is dropped; the informer goes on. Default: they are reported on `console.error`. */
  readonly onError?: (error: unknown) => void;
}

const checks: OptionChecks<InformerOptions<never>> = {
  source: withMethods('where objects come from, as client.resource(…)', 'list', 'watch'),
  clock: withMethods('a clock', 'now', 'after'),
  labelSelector: aText,
  fieldSelector: aText,
  indexes: matching(
    'an object with functions, as { byOwner }',
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
const FIRST_PAUSE_MS = 800;
const LONGEST_PAUSE_MS = 30_000;
const GONE = 410;

/**
 * A copy of a collection that follows it: one list, then a watch from the list's version, taken up where it ended, and a
 * new list when the past is gone (410).
 *
 * Versions are compared as numbers, which those of this server are. Of a server in this process, an object that cannot be read
 * counts as deleted, and all others are followed.
 */
export class Informer<Item extends InformedObject> {
  readonly #options: InformerOptions<Item>;
  readonly #cache: InformerCache<Item>;
  readonly #handlers = new Set<InformerHandler<Item>>();
  readonly #abort = new AbortController();
  readonly #progress = new AsyncGate();
  #running: Promise<void> | undefined;
  /** Where the next watch starts; empty when a list must come first. */
  #version = '';
  #failures = 0;
  #synced = false;
  /** Everything up to this version of the store has been delivered. */
  #seen = -1;

  /** @throws TypeError for an option that is missing or not what it must be */
  constructor(options: InformerOptions<Item>) {
    checkOptions('Informer', options, checks, ['source', 'clock']);
    this.#options = options;
    this.#cache = new InformerCache(options.indexes ?? {});
  }

  /** Begins to list and watch. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the watch, for good. The cache stays as it is. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#progress.open();
    await this.#running;
  }

  /** Tells a handler of everything that is cached already, and then of every change. Returns how to end that. */
  subscribe(handler: InformerHandler<Item>): () => void {
    for (const object of this.#cache.values()) this.#tell(() => handler.added?.(object));
    this.#handlers.add(handler);
    return () => void this.#handlers.delete(handler);
  }

  /** Number of cached objects. */
  get size(): number {
    return this.#cache.size;
  }

  /** A cached object by `namespace/name`, or by name where the kind has no namespaces. */
  get(key: string): Item | undefined {
    return this.#cache.get(key);
  }

  /** The cached objects. */
  values(): Iterable<Item> {
    return this.#cache.values();
  }

  /**
   * The cached objects with a value in an index.
   *
   * @throws TypeError when the informer was made without that index
   */
  find(index: string, value: string): Item[] {
    return this.#cache.find(index, value);
  }

  /** Everything up to this version of the store is in the cache and was told to the handlers; -1 before the first list. */
  get revision(): number {
    return this.#seen;
  }

  /** Resolves when the first list is in the cache, or the informer is stopped. */
  async synced(): Promise<void> {
    while (!this.#synced && !this.#abort.signal.aborted) await this.#progress.wait();
  }

  /**
   * Resolves when the cache is at least as new as the collection was at the time of the call, or the informer is stopped.
   *
   * A watch does not tell that there is nothing to tell, so the collection is listed once more and compared, unless the
   * store stands at a version that the informer has reached.
   */
  async caughtUp(): Promise<void> {
    await this.synced();
    const target = await this.#target().catch((error: unknown) => {
      if (!this.#abort.signal.aborted) throw error;
      return undefined;
    });
    if (target === undefined) return;
    while (!this.#abort.signal.aborted && !this.#reached(target)) await this.#progress.wait();
    this.#seen = Math.max(this.#seen, target.revision);
  }

  #reached({ revision, newest, missing }: CatchUpTarget): boolean {
    if (this.#seen >= revision) return true;
    if (this.#seen < newest) return false;
    for (const key of missing) {
      const cached = this.#cache.revision(key);
      if (cached >= 0 && cached <= revision) return false;
      missing.delete(key);
    }
    return true;
  }

  /** What the cache must show to be as new as the present; undefined when it does. */
  async #target(): Promise<CatchUpTarget | undefined> {
    const { signal } = this.#abort;
    if (signal.aborted) return undefined;
    const { metadata } = await this.#options.source.list({
      ...this.#selectors(),
      onUnreadable: () => undefined,
      limit: 1,
      signal,
    });
    if (Number(metadata.resourceVersion) <= this.#seen) return undefined;
    const missing = new Set(this.#cache.keys());
    let newest = -1;
    const version = await this.#listAll(
      () => undefined,
      (object) => {
        const key = objectKey(object);
        const revision = Number(object.metadata.resourceVersion);
        if (revision > this.#cache.revision(key)) newest = Math.max(newest, revision);
        missing.delete(key);
      },
    );
    return { revision: Number(version), newest, missing };
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        if (this.#version === '') await this.#relist();
        await this.#follow();
      } catch (error) {
        if (signal.aborted) return;
        this.#version = '';
        if (!(error instanceof ApiError && error.code === GONE)) this.#report(error);
      }
      await this.#pause();
    }
  }

  /** The first new attempt is made at once; when it brings nothing either, the pauses grow. */
  async #pause(): Promise<void> {
    const failures = this.#failures;
    this.#failures += 1;
    if (failures === 0) return;
    await delay(
      this.#options.clock,
      Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 16), LONGEST_PAUSE_MS),
      this.#abort.signal,
    );
  }

  /** Watches from the known version until the watch ends. @throws ApiError 410 when that version is too old */
  async #follow(): Promise<void> {
    const { signal } = this.#abort;
    for await (const event of this.#options.source.watch({
      ...this.#selectors(),
      onUnreadable: this.#unreadable,
      resourceVersion: this.#version,
      allowWatchBookmarks: true,
      keepAlive: false,
      signal,
    })) {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      if (signal.aborted) return;
      if (event.type === 'ERROR') throw ApiError.fromStatus(event.object, GONE);
      this.#failures = 0;
      const version = event.object.metadata.resourceVersion ?? '';
      if (event.type === 'DELETED') this.#forget(objectKey(event.object));
      else if (event.type !== 'BOOKMARK') this.#learn(event.object);
      this.#reach(version);
    }
  }

  async #relist(): Promise<void> {
    const gone = new Set(this.#cache.keys());
    const version = await this.#listAll(this.#unreadable, (object) => {
      gone.delete(objectKey(object));
      this.#learn(object);
    });
    for (const key of gone) this.#forget(key);
    this.#synced = true;
    this.#reach(version);
  }

  #reach(version: string): void {
    this.#version = version;
    this.#seen = Math.max(this.#seen, Number(version));
    this.#progress.open();
  }

  /** Shows every object of the collection that can be read, page by page of one state; the version of that state. */
  async #listAll(onUnreadable: (unreadable: UnreadableObject) => void, show: (object: Item) => void): Promise<string> {
    const { source, pageSize = DEFAULT_PAGE } = this.#options;
    const { signal } = this.#abort;
    let token: string | undefined;
    for (;;) {
      const turn = shareTurn();
      if (turn !== undefined) await turn;
      const page = await source.list({
        ...this.#selectors(),
        onUnreadable,
        limit: pageSize,
        signal,
        continue: token,
      });
      for (const object of page.items) show(object);
      token = page.metadata.continue;
      if (token === undefined || token === '') return page.metadata.resourceVersion ?? '';
    }
  }

  /** What cannot be read is as good as gone. */
  readonly #unreadable = ({ namespace, name, error }: UnreadableObject): void => {
    this.#forget(objectKey({ metadata: { namespace, name } }));
    this.#progress.open();
    this.#report(error);
  };

  #selectors(): { labelSelector?: string | undefined; fieldSelector?: string | undefined } {
    const { labelSelector, fieldSelector } = this.#options;
    return {
      labelSelector,
      fieldSelector,
    };
  }

  #learn(fresh: Item): void {
    const key = objectKey(fresh);
    const old = this.#cache.get(key);
    if (old !== undefined && old.metadata.resourceVersion === fresh.metadata.resourceVersion) return;
    // Deleted and made anew while nobody watched: two objects, of which one is gone.
    if (old !== undefined && old.metadata.uid !== fresh.metadata.uid) this.#forget(key);
    const known = this.#cache.get(key);
    const object = this.#cached(key, fresh);
    if (object === undefined) return;
    for (const handler of this.#handlers)
      this.#tell(() => (known === undefined ? handler.added?.(object) : handler.updated?.(object, known)));
  }

  /** Puts an object into the cache; undefined for one that the functions of the options cannot take, which counts as gone. */
  #cached(key: string, fresh: Item): Item | undefined {
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

  #forget(key: string): void {
    const old = this.#cache.get(key);
    if (old === undefined) return;
    this.#cache.delete(key);
    for (const handler of this.#handlers) this.#tell(() => handler.deleted?.(old));
  }

  #tell(call: () => void): void {
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

/** How far an informer must come. */
interface CatchUpTarget {
  /** The version of the state that was listed. */
  readonly revision: number;
  /** The newest version in it that the cache did not have; -1 when it had all. */
  readonly newest: number;
  /** Keys that were cached and not listed; shrinks as they go. */
  readonly missing: Set<string>;
}

function reportFailure(error: unknown): void {
  consoleLogger.error('an informer met a failure', { error });
}
