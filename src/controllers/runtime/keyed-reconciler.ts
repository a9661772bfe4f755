import { cachesOf, type CacheOf } from './caches.js';
import type { InformedObject } from './informer-cache.js';
import { queuedRunner, type KeyedRunner, type KeyedRunnerOptions, type RunnerHost } from './keyed-runner.js';
import type { SharedInformers } from './shared-informers.js';
import type { Source } from './sources.js';
import type { KeySink, Watched, WatchingReconciler } from './watch.js';

/** The part of a server or manager that every reconciler uses. */
export interface ReconcilerHost extends RunnerHost {
  /** The informers that several controllers use. */
  readonly informers: SharedInformers;
}

/** Options of {@link keyedReconciler}. */
export interface KeyedReconcilerOptions extends KeyedRunnerOptions {
  /** The kinds and views that it follows, and the keys that their changes run; see `watched`. */
  readonly watches?: readonly Watched[] | undefined;
}

/** A controller that runs keys by the changes of objects. */
export interface Reconciler extends KeyedRunner {
  /** The caches of the kinds and views that it follows. */
  readonly cached: CacheOf;
}

/**
 * Returns a controller for keys that do not name the objects of one kind; see `reconciler` for those that do, and
 * {@link keyedRunner} for when it runs.
 */
export const keyedReconciler = (host: ReconcilerHost, options: KeyedReconcilerOptions): Reconciler =>
  watchingReconciler(host, options, {});

/** The objects that the keys of a reconciler name. */
export interface KeyedObjects {
  readonly kind?: Source | undefined;
  readonly isForeign?: ((key: string, object: InformedObject) => boolean) | undefined;
  /** Whether changes run keys. Default: always. */
  readonly isActive?: (() => boolean) | undefined;
}

/** Returns a {@link keyedReconciler} whose keys name objects. */
export function watchingReconciler(
  host: ReconcilerHost,
  { watches = [], ...options }: KeyedReconcilerOptions,
  { kind, isForeign = () => true, isActive }: KeyedObjects,
): Reconciler {
  const { queue, runner } = queuedRunner(host, options);
  const { informers } = host;
  const sources = watches.map(({ source }) => source);
  const cached = cachesOf({ name: options.name, informers, sources });
  const to: WatchingReconciler = { queue: sinkOf(queue, isActive), host, cached, kind, isForeign };
  const own = watches.flatMap((watch) => watch.attach(to));
  return {
    ...runner,
    cached,
    queues: [queue, ...own],
    *informers() {
      for (const source of sources) yield informers.of(source);
      yield* runner.informers();
    },
  };
}

/** Returns what takes the keys of watches: nothing takes them while the reconciler is not active. */
function sinkOf(queue: KeySink, isActive: KeyedObjects['isActive']): KeySink {
  if (isActive === undefined) return queue;
  return {
    add: (key, urgency) => isActive() && queue.add(key, urgency),
    addAfter(key, delayMs) {
      if (isActive()) queue.addAfter(key, delayMs);
    },
  };
}
