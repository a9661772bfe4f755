import type { Clock } from '../../foundation/index.js';
import type { Controller, RunningInformer } from './controller.js';
import type { Watch } from './watch.js';
import { WorkQueue, type WorkQueueOptions, type WorkResult } from './work-queue.js';

/** The part of a server that every reconciler uses. */
export interface ReconcilerHost {
  readonly clock: Clock;
  /**
   * Called with the error of each run that fails, and with its key. The run is repeated after a growing pause; other
   * keys are not affected.
   */
  readonly onError: (error: unknown, key?: string) => void;
}

/** One run of a reconciler. */
export interface Run<Key = string> {
  readonly key: Key;
  /** Aborts when the controller stops. */
  readonly signal: AbortSignal;
  /**
   * Runs the key again in `delayMs` milliseconds, or earlier when something changes. The earliest of several times counts;
   * Infinity has no effect. Times count even when the run fails.
   */
  requeueAfter(delayMs: number): void;
}

/** The options of its queue that a reconciler chooses. */
type QueueLimits<Key> = Pick<
  WorkQueueOptions<Key>,
  'concurrency' | 'baseDelay' | 'maxDelay' | 'maxRetries' | 'retryLimit' | 'prefersChanges' | 'gathers' | 'abandons'
>;

/** Options of {@link keyedReconciler}. */
export interface KeyedReconcilerOptions<Key = string> extends QueueLimits<Key> {
  /** Name of the controller, in logs. */
  readonly name: string;
  /** Name of the work queue in metrics: the one that it has in Kubernetes. A queue without a name is not measured. */
  readonly queue?: string | undefined;
  /** The changes that run keys. */
  readonly watches?: readonly Watch<Key>[] | undefined;
  /** Returns the further informers that runs read, at the time of the call. They start and stop with the controller. */
  readonly informers?: (() => Iterable<RunningInformer>) | undefined;
  /** Returns the keys that have work for which no informer reports a change. */
  readonly recheck?: (() => Iterable<Key>) | undefined;
  /**
   * Brings the state that a key stands for to the wanted one. Runs of one key never overlap, and changes during a run
   * cause one more. `retry` repeats the run after a growing pause, like an error, but is not reported.
   */
  readonly reconcile: (key: Key, run: Run<Key>) => Promise<WorkResult>;
}

/** A controller with one queue of keys. */
export interface Reconciler<Key = string> extends Controller {
  /** Runs a key. Returns true when this causes one more run. */
  add(key: Key): boolean;
  /** Runs a key in `delayMs` milliseconds. The earliest of several times counts. */
  addAfter(key: Key, delayMs: number): void;
}

/**
 * Returns a controller for keys that do not name the objects of one kind; see `reconciler` for those that do, and
 * `routine` for a single key.
 *
 * Nothing runs before the controller is started and its informers have completed their first lists. Keys that are added
 * earlier wait, so a server that is not in charge can keep its caches warm. A controller that has stopped cannot start
 * again.
 */
export function keyedReconciler<Key = string>(
  { clock, onError }: ReconcilerHost,
  options: KeyedReconcilerOptions<Key>,
): Reconciler<Key> {
  const { name, queue: measuredName, watches = [], informers, recheck, reconcile, ...limits } = options;
  const queue: WorkQueue<Key> = new WorkQueue<Key>({
    ...limits,
    name: measuredName,
    clock,
    process: (key, signal) => reconcile(key, runOf(queue, key, signal)),
    onError: (key, error) => onError(error, typeof key === 'string' ? key : undefined),
  });
  const own = watches.flatMap((watch) => watch.attach(queue, { clock, onError }));
  return {
    name,
    add: (key) => queue.add(key),
    addAfter: (key, delayMs) => queue.addAfter(key, delayMs),
    queues: [queue, ...own],
    *informers() {
      for (const { informer } of watches) yield informer;
      if (informers !== undefined) yield* informers();
    },
    ...(recheck === undefined ? {} : { recheck: () => addAll(queue, recheck()) }),
  };
}

const runOf = <Key>(queue: WorkQueue<Key>, key: Key, signal: AbortSignal): Run<Key> => ({
  key,
  signal,
  requeueAfter: (delayMs) => {
    if (delayMs < Infinity) queue.addAfter(key, delayMs);
  },
});

/** Returns the number of runs that the keys add. */
function addAll<Key>(queue: WorkQueue<Key>, keys: Iterable<Key>): number {
  let added = 0;
  for (const key of keys) if (queue.add(key)) added += 1;
  return added;
}
