import type { PodObject } from '../../workloads/shared/kinds.js';
import { isActive, isReady } from '../../workloads/shared/pod-state.js';
import { judgeFailure } from './failure-policy.js';
import { IndexSet } from './index-set.js';
import {
  completionIndex,
  earlierFailures,
  finishedMs,
  hasFailed,
  hasSucceeded,
  ignoredFailures,
  isTracked,
  validIndex,
} from './job-pods.js';
import { isIndexed, type JobNames, type JobSpec, type JobStatus } from './types.js';

/** A Job and its pods at the beginning of a run, with what follows from them. */
export interface JobSnapshot {
  readonly spec: JobSpec;
  readonly pods: readonly PodObject[];
  readonly active: readonly PodObject[];
  readonly ready: number;
  /** Number of pods that are being deleted and have not ended. */
  readonly terminating: number;
  /** Ended pods that the status does not know yet. */
  readonly newSucceeded: readonly PodObject[];
  readonly newFailed: readonly PodObject[];
  /** Number of succeeded pods or indexes, and of failed pods. */
  readonly succeeded: number;
  readonly failed: number;
  readonly indexes: IndexSnapshot | undefined;
}

/** The indexes of an Indexed Job. */
export interface IndexSnapshot {
  /** Succeeded indexes by the status alone. */
  readonly known: IndexSet;
  readonly succeeded: IndexSet;
  /** Failed indexes; undefined without a limit for each index. */
  readonly failed: IndexSet | undefined;
  /**
   * The failed pods that are kept until they are replaced, by index: the replacement counts their failures. Empty
   * without a limit for each index.
   */
  readonly awaitingReplacement: ReadonlyMap<number, PodObject>;
}

/** Reads the state of a Job. */
export function snapshotOf(spec: JobSpec, status: JobStatus, pods: readonly PodObject[], names: JobNames): JobSnapshot {
  const active = pods.filter(isActive);
  const { succeeded: uncountedSucceeded = [], failed: uncountedFailed = [] } = status.uncountedTerminatedPods ?? {};
  const isNew = (pod: PodObject, uncounted: readonly string[]): boolean =>
    isTracked(pod, names) &&
    !uncounted.includes(pod.metadata.uid ?? '') &&
    (!isIndexed(spec) || validIndex(pod, names, spec) !== undefined);
  const newSucceeded = pods.filter((pod) => isNew(pod, uncountedSucceeded) && hasSucceeded(pod));
  const newFailed = pods.filter((pod) => isNew(pod, uncountedFailed) && hasFailed(pod, spec));
  const counted = newFailed.filter((pod) => judgeFailure(spec, pod).counts);
  const indexes = isIndexed(spec) ? indexesOf(spec, status, pods, active, names) : undefined;
  return {
    ...{ spec, pods, active, newSucceeded, newFailed, indexes },
    ready: active.filter(isReady).length,
    terminating: pods.filter(isTerminating).length,
    succeeded: indexes?.succeeded.size ?? (status.succeeded ?? 0) + newSucceeded.length + uncountedSucceeded.length,
    failed: (status.failed ?? 0) + counted.length + uncountedFailed.length,
  };
}

/** Returns whether a pod is being deleted and has not ended. */
export const isTerminating = ({ metadata, status }: PodObject): boolean =>
  metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded' && status?.phase !== 'Failed';

function indexesOf(
  spec: JobSpec,
  status: JobStatus,
  pods: readonly PodObject[],
  active: readonly PodObject[],
  names: JobNames,
): IndexSnapshot {
  const { completions = 0, backoffLimitPerIndex } = spec;
  const tracked = pods.filter((pod) => isTracked(pod, names));
  const indexesWhere = (holds: (pod: PodObject) => boolean): IndexSet =>
    IndexSet.of(tracked.filter(holds).flatMap((pod) => validIndex(pod, names, spec) ?? []));
  const known = IndexSet.parse(status.completedIndexes ?? '', completions);
  const succeeded = known.union(indexesWhere(hasSucceeded));
  if (backoffLimitPerIndex === undefined)
    return { known, succeeded, failed: undefined, awaitingReplacement: new Map() };
  const knownFailed = IndexSet.parse(status.failedIndexes ?? '', completions);
  const failed = knownFailed.union(indexesWhere((pod) => failsIndex(spec, backoffLimitPerIndex, pod, names)));
  const done = succeeded.union(failed).union(IndexSet.of(active.flatMap((pod) => completionIndex(pod, names) ?? [])));
  return { known, succeeded, failed, awaitingReplacement: awaitingReplacement(spec, tracked, done, names) };
}

/** Returns whether the index of a failed pod gets no other pod. */
function failsIndex(spec: JobSpec, limit: number, pod: PodObject, names: JobNames): boolean {
  if (!hasFailed(pod, spec)) return false;
  const { action, counts } = judgeFailure(spec, pod);
  return action === 'FailIndex' || (counts && earlierFailures(pod, names) >= limit);
}

function awaitingReplacement(
  spec: JobSpec,
  tracked: readonly PodObject[],
  done: IndexSet,
  names: JobNames,
): ReadonlyMap<number, PodObject> {
  const found = new Map<number, PodObject>();
  const failures = (pod: PodObject): number => earlierFailures(pod, names) + ignoredFailures(pod, names);
  for (const pod of tracked) {
    const index = validIndex(pod, names, spec);
    if (index === undefined || done.has(index) || !hasFailed(pod, spec)) continue;
    const last = found.get(index);
    if (last === undefined || (failures(last) <= failures(pod) && finishedMs(last) <= finishedMs(pod)))
      found.set(index, pod);
  }
  return found;
}
