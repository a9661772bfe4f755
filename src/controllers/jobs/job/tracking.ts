/**
 * The count of a Job's ended pods.
 *
 * A pod keeps a finalizer until it is counted: first the status gets its uid, then the finalizer is removed, then the
 * counter grows. A crash at any time neither loses a pod nor counts it twice. Source: release 1.31, the tracking of
 * Jobs with finalizers.
 *
 * @module
 */
import type { PodObject } from '../../workloads/shared/kinds.js';
import type { Ending } from './ending.js';
import { judgeFailure } from './failure-policy.js';
import { completionIndex, hasFailed, hasSucceeded, isTracked, validIndex } from './job-pods.js';
import type { JobSnapshot } from './snapshot.js';
import { isIndexed, type JobNames, type JobStatus } from './types.js';

/** Maximum number of uids in a status, so that it stays below 20 kB. */
const MAX_UNCOUNTED = 500;

/** The work that is to be done about the pods of a Job that have ended. */
export interface Count {
  /** Pods whose finalizer is to be removed once the status is written. */
  readonly released: readonly PodObject[];
  /** Whether the status has changed. */
  readonly changed: boolean;
  /** Whether more pods have ended than one status can hold. */
  readonly more: boolean;
}

/**
 * Adds the uids of newly ended pods to the status.
 *
 * @param isDeleted whether the Job is being deleted, so that nothing is to be counted exactly any more
 */
export function countPods(
  snapshot: JobSnapshot,
  status: JobStatus,
  ending: Ending | undefined,
  isDeleted: boolean,
  names: JobNames,
): Count {
  const { spec, pods, indexes } = snapshot;
  const uncounted = uncountedOf(status);
  const released: PodObject[] = [];
  let changed = false;
  let newIndexes = 0;
  for (const pod of pods) {
    const failed = hasFailed(pod, spec);
    const ended = isDeleted || ending !== undefined || hasSucceeded(pod) || failed;
    if (!isTracked(pod, names) || !ended || isAwaitingReplacement(snapshot, pod, ending ?? isDeleted, names)) continue;
    released.push(pod);
    const uid = pod.metadata.uid ?? '';
    if (hasSucceeded(pod) && !uncounted.failed.includes(uid)) {
      if (indexes !== undefined) {
        const index = validIndex(pod, names, spec);
        if (index === undefined || indexes.known.has(index)) continue;
        newIndexes += 1;
        changed = true;
      } else changed = addTo(uncounted.succeeded, uid) || changed;
    } else if (failed || ending?.outcome === 'failure') {
      const counts = judgeFailure(spec, pod).counts;
      if (counts && (!isIndexed(spec) || validIndex(pod, names, spec) !== undefined))
        changed = addTo(uncounted.failed, uid) || changed;
    }
    if (newIndexes + uncounted.succeeded.length + uncounted.failed.length >= MAX_UNCOUNTED)
      return { released, changed, more: true };
  }
  return { released, changed, more: false };
}

/** A failed pod waits for its replacement, which counts its failures; but not when the Job ends. */
function isAwaitingReplacement(
  { indexes }: JobSnapshot,
  pod: PodObject,
  ends: Ending | boolean,
  names: JobNames,
): boolean {
  if (indexes === undefined || ends !== false || hasSucceeded(pod)) return false;
  const index = completionIndex(pod, names);
  return index !== undefined && indexes.awaitingReplacement.get(index)?.metadata.uid === pod.metadata.uid;
}

/** Returns the uids of a status, as lists that may be changed. */
function uncountedOf(status: JobStatus): { succeeded: string[]; failed: string[] } {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const lists = { succeeded: [...succeeded], failed: [...failed] };
  status.uncountedTerminatedPods = lists;
  return lists;
}

function addTo(uids: string[], uid: string): boolean {
  if (uids.includes(uid)) return false;
  uids.push(uid);
  return true;
}

/**
 * Counts the pods whose finalizer is gone.
 *
 * @param tracked uids of the pods that have the finalizer
 * @returns whether the status has changed
 */
export function countReleased(status: JobStatus, tracked: ReadonlySet<string>): boolean {
  const uncounted = uncountedOf(status);
  let changed = false;
  for (const list of ['succeeded', 'failed'] as const) {
    const left = uncounted[list].filter((uid) => tracked.has(uid));
    const done = uncounted[list].length - left.length;
    if (done === 0) continue;
    status[list] = (status[list] ?? 0) + done;
    uncounted[list] = left;
    changed = true;
  }
  return changed;
}

/** Writes the succeeded and failed indexes into the status. Returns whether it has changed. */
export function writeIndexes({ indexes }: JobSnapshot, status: JobStatus): boolean {
  if (indexes === undefined) return false;
  const completed = indexes.succeeded.toString();
  const failed = indexes.failed?.toString();
  const changed = completed !== (status.completedIndexes ?? '') || (failed ?? '') !== (status.failedIndexes ?? '');
  status.succeeded = indexes.succeeded.size;
  status.completedIndexes = completed;
  if (failed !== undefined) status.failedIndexes = failed;
  return changed;
}
