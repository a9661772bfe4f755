import { objectKey, type InformedObject } from './informer-cache.js';
import type { Informer } from './informer.js';
import {
  keyedReconciler,
  type KeyedReconcilerOptions,
  type Reconciler,
  type ReconcilerHost,
  type Run,
} from './keyed-reconciler.js';
import type { Owned } from './owned.js';
import { UNSEEN_TIMEOUT_MS, type UnseenWrites } from './unseen-writes.js';
import { NO_QUEUES, urgencyIn, type Keys, type KeySink, type Watch } from './watch.js';
import type { WorkResult } from './work-queue.js';

/** Options of {@link reconciler}. */
export interface ReconcilerOptions<Item extends InformedObject> extends Omit<KeyedReconcilerOptions, 'reconcile'> {
  /** The objects that are reconciled: all of a kind, or those that an informer with selectors has. */
  readonly kind: Informer<Item>;
  /**
   * Returns whether an object that appeared (without `old`) or changed is reconciled, or in how many milliseconds;
   * Infinity is never. Default: always, immediately.
   */
  readonly runsOn?: ((object: Item, old: Item | undefined) => boolean | number) | undefined;
  /** Objects whose changes run the object that controls them; see `owned`. */
  readonly owns?: readonly Owned<Item>[] | undefined;
  /**
   * The writes of the controller. A key is not reconciled before the informers have delivered those of its last run: it
   * would be reconciled by old caches. They are forgotten with the object.
   */
  readonly writes?: UnseenWrites | undefined;
  /** Returns whether an object never needs work again; it is treated as deleted then. Default: no object. */
  readonly isDone?: ((object: Item) => boolean) | undefined;
  /** Brings the state that an object describes to the wanted one; see `KeyedReconcilerOptions.reconcile`. */
  readonly reconcile: (object: Item, run: Run) => Promise<WorkResult>;
  /** Cleans up after an object that is gone: a run of its key, which follows the last one of the object. */
  readonly gone?: ((key: string, run: Run) => Promise<void> | void) | undefined;
  /**
   * Called for each deleted object as soon as its deletion is known, even during a run of its key, and before an object
   * that replaces it is seen. Returns the keys of other objects that this runs.
   */
  readonly deleted?: ((object: Item) => Keys<string>) | undefined;
}

/**
 * Returns a controller of the objects of a kind: it runs each object that appears or changes, and those that a change of
 * other objects concerns. Keys are `namespace/name`, or the name for a cluster-scoped kind. See {@link keyedReconciler}.
 */
export function reconciler<Item extends InformedObject>(
  host: ReconcilerHost,
  options: ReconcilerOptions<Item>,
): Reconciler {
  const { kind, runsOn, owns = [], writes, isDone, reconcile, gone, deleted, watches = [], ...keyed } = options;
  return keyedReconciler(host, {
    ...keyed,
    watches: [changesOf(options), ...owns.map((dependents) => dependents.by(kind)), ...watches],
    async reconcile(key, run) {
      const object = kind.get(key);
      if (object === undefined || isDone?.(object) === true) {
        writes?.forget(key);
        return gone?.(key, run);
      }
      if (writes === undefined || writes.allSeen(key)) return reconcile(object, run);
      run.requeueAfter(UNSEEN_TIMEOUT_MS);
    },
  });
}

/** Returns the watch of the reconciled objects themselves. */
function changesOf<Item extends InformedObject>(options: ReconcilerOptions<Item>): Watch {
  const { kind, runsOn, writes, gone, deleted } = options;
  const runsWhenGone = gone !== undefined || writes !== undefined;
  const changed = (queue: KeySink<string>, object: Item, old: Item | undefined): void => {
    const when = runsOn === undefined || runsOn(object, old);
    if (when === true) queue.add(objectKey(object), old === undefined ? urgencyIn(kind) : 'changed');
    else if (when !== false && when < Infinity) queue.addAfter(objectKey(object), when);
  };
  return {
    informer: kind,
    attach(queue) {
      kind.subscribe({
        added: (object) => changed(queue, object, undefined),
        updated: (object, old) => changed(queue, object, old),
        deleted(object) {
          for (const key of deleted?.(object) ?? []) queue.add(key);
          if (runsWhenGone) queue.add(objectKey(object));
        },
      });
      return NO_QUEUES;
    },
  };
}
