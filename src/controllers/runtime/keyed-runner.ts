import type { Clock } from '../../foundation/index.js';
import type { Controller, RunningInformer } from './controller.js';
import type { Urgency } from './ready-keys.js';
import { WorkQueue, type WorkQueueOptions, type WorkResult } from './work-queue.js';

/** The part of a server that every runner uses. */
export interface RunnerHost {
  readonly clock: Clock;
  /**
   * Called with the error of each run that fails, with its key, and the number of failures of the key in a row. The run is
   * repeated after a growing pause; other keys are not affected.
   */
  readonly onError: (error: unknown, key?: string, attempt?: number) => void;
}

/** One run of a key. */
export interface Run<Key = string> {
  readonly key: Key;
  /** 1 for the first run after a success, and one more after each failure. */
  readonly attempt: number;
  /** Aborts when the controller stops, and at the timeout of the run. */
  readonly signal: AbortSignal;
  /**
   * Runs the key again in `delayMs` milliseconds, or earlier when something changes. The earliest of several times counts;
   * Infinity has no effect. Times count even when the run fails.
   */
  requeueAfter(delayMs: number): void;
}

/** The options of its queue that a controller chooses. */
type QueueLimits<Key> = Pick<
  WorkQueueOptions<Key>,
  'concurrency' | 'baseDelay' | 'maxDelay' | 'maxRetries' | 'retryLimit' | 'prefersChanges' | 'gathers' | 'abandons'
>;

/** Options of {@link keyedRunner}. */
export interface KeyedRunnerOptions<Key = string> extends QueueLimits<Key> {
  /** Name of the controller, in logs. */
  readonly name: string;
  /** Name of the work queue in metrics: the one that it has in Kubernetes. A queue without a name is not measured. */
  readonly queue?: string | undefined;
  /**
   * Returns informers of kinds that come and go, at the time of the call. They start and stop with the controller. (Kinds
   * that are known beforehand are in `watches`.)
   */
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
export interface KeyedRunner<Key = string> extends Controller {
  /** Runs a key. Returns true when this causes one more run. @param urgency see `WorkQueue.add` */
  add(key: Key, urgency?: Urgency): boolean;
  /** Runs a key in `delayMs` milliseconds. The earliest of several times counts. */
  addAfter(key: Key, delayMs: number): void;
}

/** A runner with its queue, for the layers above it. */
export interface QueuedRunner<Key> {
  readonly queue: WorkQueue<Key>;
  readonly runner: KeyedRunner<Key>;
}

/**
 * Returns a controller whose keys are added by hand; see `keyedReconciler` for one that watches, `reconciler` for the
 * objects of a kind, and `routine` for a single key. All of them, and the controllers of users, are layers above this.
 *
 * Nothing runs before the controller is started and its informers have completed their first lists. Keys that are added
 * earlier wait, so a server that is not in charge can keep its caches warm. A controller that has stopped cannot start
 * again.
 */
export const keyedRunner = <Key = string>(host: RunnerHost, options: KeyedRunnerOptions<Key>): KeyedRunner<Key> =>
  queuedRunner(host, options).runner;

/** Returns a {@link keyedRunner} with its queue. */
export function queuedRunner<Key = string>(
  { clock, onError }: RunnerHost,
  options: KeyedRunnerOptions<Key>,
): QueuedRunner<Key> {
  const { name, queue: measuredName, informers, recheck, reconcile, ...limits } = options;
  const queue: WorkQueue<Key> = new WorkQueue<Key>({
    ...limits,
    name: measuredName,
    clock,
    process: (key, signal) => reconcile(key, runOf(queue, key, signal)),
    onError: (key, error) => onError(error, typeof key === 'string' ? key : undefined, queue.failuresOf(key) + 1),
  });
  const runner: KeyedRunner<Key> = {
    name,
    add: (key, urgency) => queue.add(key, urgency),
    addAfter: (key, delayMs) => queue.addAfter(key, delayMs),
    queues: [queue],
    informers: () => informers?.() ?? [],
    ...(recheck === undefined ? {} : { recheck: () => addAll(queue, recheck()) }),
  };
  return { queue, runner };
}

const runOf = <Key>(queue: WorkQueue<Key>, key: Key, signal: AbortSignal): Run<Key> => ({
  key,
  attempt: queue.failuresOf(key) + 1,
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
