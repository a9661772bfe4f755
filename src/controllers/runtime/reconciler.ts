import type { Clock } from '../../foundation/index.js';
import type { BoundedRuns } from './bounded-runs.js';
import { addIndexes } from './caches.js';
import { FinalError } from './failures.js';
import { objectKey, type IndexFunction } from './informer-cache.js';
import type { Informer } from './informer.js';
import {
  watchingReconciler,
  type KeyedReconcilerOptions,
  type Reconciler,
  type ReconcilerHost,
} from './keyed-reconciler.js';
import type { Run } from './keyed-runner.js';
import { owned } from './owned.js';
import type { RunWrites } from './run-writes.js';
import type { AnyObject } from './served-kinds.js';
import { isSource, type ItemOf, type Source } from './sources.js';
import { NO_QUEUES, urgencyIn, type Keys, type Watched } from './watch.js';
import type { WorkResult } from './work-queue.js';

/** A run that has ended. */
export interface EndedRun {
  readonly controller: string;
  readonly key: string;
  readonly result: 'success' | 'error' | 'requeue' | 'requeue_after';
  /** Whether it failed for good: it is not repeated before the object changes. */
  readonly isFinal: boolean;
  readonly tookMs: number;
}

/** Options of {@link reconciler}. Users declare controllers by the same members; see `ControllerSpec`. */
export interface ReconcilerOptions<Main extends Source = Source> extends Omit<KeyedReconcilerOptions, 'reconcile'> {
  /** The objects that are reconciled: all of a kind, or those of a view. */
  readonly kind: Main;
  /** Kinds and views of objects whose changes run the object that controls them; see `owned`. */
  readonly owns?: readonly (Source | Watched)[] | undefined;
  /** Indexes of the reconciled objects, for `cached(kind).find(name, value)`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<ItemOf<Main>>>> | undefined;
  /** Returns whether an object never needs work again; it is treated as deleted then. Default: no object. */
  readonly isDone?: ((object: ItemOf<Main>) => boolean) | undefined;
  /**
   * Returns whether an object that appeared (without `old`) or changed is reconciled, or in how many milliseconds;
   * Infinity is never. Default: always, immediately.
   */
  readonly runsOn?: ((object: ItemOf<Main>, old: ItemOf<Main> | undefined) => boolean | number) | undefined;
  /**
   * The writes of the controller. A key is not reconciled before the informers have delivered those of its last run. They
   * are forgotten with the object.
   */
  readonly writes?: RunWrites | undefined;
  /** Whether changes run objects: a process that waits for the lead follows them, and queues nothing. Default: always. */
  readonly isActive?: (() => boolean) | undefined;
  /** Limits the time of runs. Default: a run may take any time. */
  readonly bounds?: BoundedRuns | undefined;
  /** Brings the state that an object describes to the wanted one; see `KeyedRunnerOptions.reconcile`. */
  readonly reconcile: (object: ItemOf<Main>, run: Run) => Promise<WorkResult>;
  /** Called after each call of `reconcile`. */
  readonly ran?: ((run: EndedRun) => void) | undefined;
  /** Cleans up after an object that is gone: a run of its key, which follows the last one of the object. */
  readonly gone?: ((key: string, run: Run) => Promise<void> | void) | undefined;
  /**
   * Called for each deleted object as soon as its deletion is known, even during a run of its key, and before an object
   * that replaces it is seen. Returns the keys of other objects that this runs.
   */
  readonly deleted?: ((object: ItemOf<Main>) => Keys) | undefined;
}

/**
 * Returns a controller of the objects of a kind: it runs each object that appears or changes, and those that a change of
 * other objects concerns. Keys are `namespace/name`, or the name for a cluster-scoped kind. See `keyedRunner`.
 */
export function reconciler<const Main extends Source>(
  host: ReconcilerHost,
  options: ReconcilerOptions<Main>,
): Reconciler;
// The informer of the kind delivers its objects.
export function reconciler(host: ReconcilerHost, options: ReconcilerOptions): Reconciler {
  const {
    kind,
    owns = [],
    indexes,
    isDone,
    runsOn,
    writes,
    bounds,
    reconcile,
    ran,
    gone,
    deleted,
    isActive,
    ...keyed
  } = options;
  const informer: Informer<AnyObject> = host.informers.of(kind);
  addIndexes(informer, options.name, indexes ?? {});
  const work = supervised(host, options, (key) => controller.add(key));
  const watches = [
    changesOf(options),
    ...owns.map((each) => (isSource(each) ? owned(each) : each)),
    ...(keyed.watches ?? []),
  ];
  const run = async (key: string, current: Run): Promise<WorkResult> => {
    const object = informer.get(key);
    if (object === undefined || isDone?.(object) === true) {
      writes?.forget(key);
      return gone?.(key, current);
    }
    if (writes === undefined || writes.allSeen(key)) return work(object, current);
    current.requeueAfter(writes.patienceMs);
    return 'waits';
  };
  const controller: Reconciler = watchingReconciler(
    host,
    { ...keyed, watches, reconcile: run },
    { kind, isActive, isForeign: writes?.isForeign && ((key, object) => writes.isForeign?.(key, object) !== false) },
  );
  return controller;
}

/** Returns the watch of the reconciled objects themselves. */
function changesOf({ kind, runsOn, writes, gone, deleted }: ReconcilerOptions): Watched {
  const runsWhenGone = gone !== undefined || writes !== undefined;
  return {
    source: kind,
    attach({ queue, host, isForeign }) {
      const informer: Informer<AnyObject> = host.informers.of(kind);
      const changed = (object: AnyObject, old: AnyObject | undefined): void => {
        const when = runsOn === undefined || runsOn(object, old);
        if (when === false) return;
        const key = objectKey(object);
        if (!isForeign(key, object)) return;
        if (when === true) queue.add(key, old === undefined ? urgencyIn(informer) : 'changed');
        else if (when < Infinity) queue.addAfter(key, when);
      };
      informer.subscribe({
        added: (object) => changed(object, undefined),
        updated: (object, old) => changed(object, old),
        deleted(object) {
          for (const key of deleted?.(object) ?? []) queue.add(key);
          if (runsWhenGone) queue.add(objectKey(object));
        },
      });
      return NO_QUEUES;
    },
  };
}

type Reconcile = ReconcilerOptions['reconcile'];

/**
 * Returns the function that reconciles, within the bounds of its runs, and that reports each run.
 *
 * @param again runs a key once more
 */
function supervised(
  { clock }: ReconcilerHost,
  { name, writes, bounds, ran, reconcile }: ReconcilerOptions,
  again: (key: string) => void,
): Reconcile {
  const bounded: Reconcile =
    bounds === undefined
      ? reconcile
      : (object, run) => bounds.run(run, again, (signal) => reconcile(object, { ...run, signal }));
  const reported = ran === undefined ? bounded : reportedBy({ name, ran, clock }, bounded);
  if (writes?.began === undefined && writes?.ended === undefined) return reported;
  return async (object, run) => {
    const { key } = run;
    writes.began?.(key);
    try {
      return await reported(object, run);
    } finally {
      if (writes.ended?.(key) === true) again(key);
    }
  };
}

/** The parts of {@link reportedBy}. */
interface RunReport {
  readonly name: string;
  readonly ran: (run: EndedRun) => void;
  readonly clock: Clock;
}

/** Returns a function that reports how each run has ended. */
function reportedBy({ name: controller, ran, clock }: RunReport, reconcile: Reconcile): Reconcile {
  return async (object, run) => {
    const { key } = run;
    const startMs = clock.now();
    let requeues = false;
    const ended = (result: EndedRun['result'], isFinal = false): void =>
      ran({ controller, key, result, isFinal, tookMs: clock.now() - startMs });
    const requeueAfter = (delayMs: number): void => {
      requeues ||= delayMs < Infinity;
      run.requeueAfter(delayMs);
    };
    try {
      const result = await reconcile(object, { ...run, requeueAfter });
      if (result !== 'waits') ended(result === 'retry' ? 'requeue' : requeues ? 'requeue_after' : 'success');
      return result;
    } catch (error) {
      ended('error', error instanceof FinalError);
      throw error;
    }
  };
}
