import { shown } from '../../foundation/index.js';
import type { CacheOf } from './caches.js';
import type { RunningQueue } from './controller.js';
import { objectKey, type InformedObject } from './informer-cache.js';
import type { ReconcilerHost } from './keyed-reconciler.js';
import type { Urgency } from './ready-keys.js';
import type { AnyObject } from './served-kinds.js';
import { isSource, type ItemOf, type Source } from './sources.js';

/** The keys that a change runs; none without a list. */
export type Keys = Iterable<string> | void;

/** Maps the changes of objects to keys. A change without a function runs nothing. Must not modify the objects. */
export interface ChangeMap<Item> {
  added?(object: Item): Keys;
  updated?(object: Item, old: Item): Keys;
  /** `object` is the last known state. */
  deleted?(object: Item): Keys;
}

/** Takes the keys of a watch. */
export interface KeySink {
  add(key: string, urgency?: Urgency): boolean;
  addAfter(key: string, delayMs: number): void;
}

/** The reconciler that a watch belongs to. */
export interface WatchingReconciler {
  readonly queue: KeySink;
  readonly host: ReconcilerHost;
  /** The caches of the kinds and views that it follows. */
  readonly cached: CacheOf;
  /** The kind or view that it reconciles; undefined for one whose keys do not name objects. */
  readonly kind: Source | undefined;
  /** Returns whether a version of an object may be that of another writer than the runs of a key. */
  isForeign(key: string, object: InformedObject): boolean;
}

/** A kind or view that a controller reads besides its own; made by {@link watched}. */
export interface Watched<Followed extends Source = Source> {
  readonly source: Followed;
  /**
   * Adds the keys of each change from now on to a queue; objects that the informer has already count as added.
   *
   * @returns the queues in which the watch does work of its own; they run with that of the reconciler
   * @internal
   */
  attach(to: WatchingReconciler): readonly RunningQueue[];
}

/** Options of {@link watched}. */
export interface WatchedOptions<Item> {
  /**
   * Returns the objects that a change of this one runs, or their keys. It is called with the state before and after a
   * change. Default: none, so that the objects are cached only.
   */
  readonly map?: ((object: Item, cached: CacheOf) => Iterable<string | InformedObject>) | undefined;
  /**
   * The keys that each change of an object runs, where these differ by the change. Must not modify the objects.
   *
   * @internal
   */
  readonly changes?: ChangeMap<Item> | undefined;
}

/** A watch that maps changes immediately has no queue. */
export const NO_QUEUES: readonly RunningQueue[] = Object.freeze([]);

/**
 * Returns a kind or view that a controller reads, for its option `watches`. (A function, since TypeScript does not infer
 * the types of the objects in a list of plain records.)
 *
 * @throws TypeError for an invalid argument
 */
export function watched<const Followed extends Source>(
  source: Followed,
  options?: WatchedOptions<ItemOf<Followed>>,
): Watched<Followed>;
// The informer of the source delivers its objects.
export function watched(source: Source, { map, changes }: WatchedOptions<AnyObject> = {}): Watched {
  if (!isSource(source)) throw new TypeError(`watched: the first argument must be a kind, got ${shown(source)}`);
  if (map !== undefined && typeof map !== 'function')
    throw new TypeError(`watched: the option map must be a function, got ${shown(map)}`);
  return {
    source,
    attach({ queue, host, cached }) {
      const { added, updated, deleted } = changes ?? (map === undefined ? {} : changesOf(map, cached));
      const add = (found: Keys, urgency: Urgency = 'changed'): void => {
        if (found !== undefined) for (const key of found) queue.add(key, urgency);
      };
      const informer = host.informers.of(source);
      if (added !== undefined || updated !== undefined || deleted !== undefined)
        informer.subscribe({
          added: (object) => add(added?.(object), urgencyIn(informer)),
          updated: (object, old) => add(updated?.(object, old)),
          deleted: (object) => add(deleted?.(object)),
        });
      return NO_QUEUES;
    },
  };
}

/** Returns the keys that changes run by one function of the states before and after them. */
function changesOf(map: NonNullable<WatchedOptions<AnyObject>['map']>, cached: CacheOf): ChangeMap<AnyObject> {
  const keysOf = (object: AnyObject): string[] =>
    Array.from(map(object, cached), (found) => (typeof found === 'string' ? found : objectKey(found)));
  return {
    added: keysOf,
    updated: (object, old) => new Set([...keysOf(old), ...keysOf(object)]),
    deleted: keysOf,
  };
}

/** Returns the urgency of an object that appears: the objects of the first list have not changed. */
export const urgencyIn = ({ isSynced }: { readonly isSynced: boolean }): Urgency => (isSynced ? 'changed' : 'listed');
