import type { Controller } from './controller.js';
import { keyedReconciler, type KeyedReconcilerOptions, type ReconcilerHost } from './keyed-reconciler.js';
import type { Run } from './keyed-runner.js';
import type { WorkResult } from './work-queue.js';

/** The key of a routine. */
const KEY = 'run';

/** Options of {@link routine}. */
export interface RoutineOptions extends Omit<KeyedReconcilerOptions, 'reconcile' | 'concurrency'> {
  /** Time before the first run, in milliseconds; Infinity waits for a change. Default 0. */
  readonly firstMs?: number | undefined;
  readonly run: (run: Run) => Promise<WorkResult>;
}

/** A controller with one piece of work. */
export interface Routine extends Controller {
  /** Runs it. Returns true when this causes one more run. */
  run(): boolean;
  /** Runs it in `delayMs` milliseconds. The earliest of several times counts. */
  runAfter(delayMs: number): void;
}

const KEYS: readonly string[] = [KEY];

/** Maps a change to a run of a routine, for its watches. */
export const runs = (): readonly string[] => KEYS;

/**
 * Returns a controller with one piece of work for all objects: it runs at the start, after changes, and when a run asks
 * for the next one by `requeueAfter`. See {@link keyedReconciler}.
 */
export function routine(host: ReconcilerHost, { firstMs = 0, run, ...keyed }: RoutineOptions): Routine {
  const reconciler = keyedReconciler(host, { ...keyed, reconcile: (_key, current) => run(current) });
  const routineOf: Routine = {
    ...reconciler,
    run: () => reconciler.add(KEY),
    runAfter: (delayMs) => reconciler.addAfter(KEY, delayMs),
  };
  if (firstMs === 0) reconciler.add(KEY);
  else if (firstMs < Infinity) reconciler.addAfter(KEY, firstMs);
  return routineOf;
}
