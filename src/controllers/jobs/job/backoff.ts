import { greatest } from '../../../foundation/index.js';
import type { PodObject } from '../../workloads/shared/kinds.js';
import { earlierFailures, finishedMs, ignoredFailures } from './job-pods.js';
import type { JobNames } from './types.js';

/** Failures in a row of a Job's pods. */
export interface Backoff {
  readonly failures: number;
  /** End of the last failed pod, in milliseconds since the epoch. */
  readonly lastMs: number;
}

/** No failures. */
export const NO_BACKOFF: Backoff = { failures: 0, lastMs: 0 };

const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 600_000;

/** Counts newly ended pods: failures add up, and a success starts the count again. */
export function nextBackoff(known: Backoff, succeeded: readonly PodObject[], failed: readonly PodObject[]): Backoff {
  const failureTimes = failed.map(finishedMs);
  if (succeeded.length === 0) {
    if (failed.length === 0) return known;
    return { failures: known.failures + failed.length, lastMs: greatest(failureTimes) };
  }
  const lastSuccessMs = greatest(succeeded.map(finishedMs));
  const later = failureTimes.filter((time) => time > lastSuccessMs);
  return later.length === 0 ? NO_BACKOFF : { failures: later.length, lastMs: greatest(later) };
}

/** Returns how long the Job creates no pods, in milliseconds: ten seconds after a failure, and twice as long each time. */
export function backoffLeftMs({ failures, lastMs }: Backoff, nowMs: number): number {
  if (failures === 0) return 0;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 16), MAX_PAUSE_MS);
  return Math.max(0, lastMs + pauseMs - nowMs);
}

/** Returns how long no pod replaces a failed one of the same index, in milliseconds. */
export function indexBackoffLeftMs(failed: PodObject | undefined, names: JobNames, nowMs: number): number {
  if (failed === undefined) return 0;
  const failures = earlierFailures(failed, names) + ignoredFailures(failed, names) + 1;
  return backoffLeftMs({ failures, lastMs: finishedMs(failed) }, nowMs);
}
