import {
  inSlices,
  least,
  SharedWork,
  type Clock,
  type Dialect,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { PodObject } from '../../workloads/shared/kinds.js';
import type { PodChanges } from '../../workloads/shared/pod-control.js';
import { inDeletionOrder } from '../../workloads/shared/pod-rank.js';
import { isReady } from '../../workloads/shared/pod-state.js';
import { slowStart } from '../../workloads/shared/slow-start.js';
import { backoffLeftMs, indexBackoffLeftMs, type Backoff } from './backoff.js';
import { IndexSet } from './index-set.js';
import { completionIndex, validIndex } from './job-pods.js';
import { indexedPodChanges, podChanges } from './pod-templates.js';
import { isTerminating, type JobSnapshot } from './snapshot.js';
import { isSuspended, replacesFailedOnly, type JobNames, type JobObject } from './types.js';

/** Maximum number of pods that one run creates or deletes. */
const BURST = 500;

/** The requests by which a run changes pods. */
export interface PodRequests {
  /** Creates a pod of the Job's template. @throws ApiError when the server refuses it */
  create(changes: PodChanges): Promise<void>;
  /** Deletes a pod. @throws ApiError when the server refuses it */
  delete(pod: PodObject): Promise<void>;
  /** Removes the finalizer of a pod, unless the pod is gone. @throws ApiError when the server refuses it */
  release(pod: PodObject): Promise<void>;
}

/** The work that a run has done on the pods of a Job. */
export interface PodWork {
  /** Number of active pods afterwards. */
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  /** Time until pods may be created, in milliseconds; undefined when none is waited for. */
  readonly pauseMs?: number | undefined;
  /** The first failure of a request. */
  readonly error?: unknown;
}

/** The parts that the work depends on besides the Job. */
export interface PodWorkContext {
  readonly clock: Clock;
  readonly dialect: Dialect;
  readonly names: JobNames;
  readonly requests: PodRequests;
  readonly backoff: Backoff;
}

/** Deletes the active pods of a Job that ends. Their finalizers stay, so that they are counted. */
export function endActivePods(snapshot: JobSnapshot, { requests }: PodWorkContext): Promise<PodWork> {
  return removePods(snapshot, snapshot.active, (pod) => requests.delete(pod));
}

/** Creates the pods that a Job lacks, or deletes those that it has too many. */
export async function managePods(job: JobObject, snapshot: JobSnapshot, context: PodWorkContext): Promise<PodWork> {
  const { active, spec, ready, terminating } = snapshot;
  const { requests } = context;
  const wanted = wantedPods(snapshot);
  const work = new SharedWork();
  const surplus = isSuspended(spec)
    ? [...active]
    : await inSlices(work, surplusPods(snapshot, Math.max(0, active.length - wanted), context, work));
  if (surplus.length > 0 || isSuspended(spec))
    return removePods(snapshot, surplus, async (pod) => {
      // A pod that is not needed any more is not counted as failed.
      await requests.release(pod);
      await requests.delete(pod);
    });
  const missing = wanted - active.length - (replacesFailedOnly(spec) ? terminating : 0);
  if (missing > 0) return createPods(job, snapshot, Math.min(missing, BURST), context);
  return { active: active.length, ready, terminating };
}

/** Returns how many pods are to be active. */
function wantedPods({ spec, succeeded, active }: JobSnapshot): number {
  const { parallelism = 1, completions } = spec;
  // After the first success, the pods of a Job without a number of completions run to their end.
  if (completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(completions - succeeded, parallelism));
}

async function removePods(
  { active, ready, terminating }: JobSnapshot,
  surplus: readonly PodObject[],
  remove: (pod: PodObject) => Promise<void>,
): Promise<PodWork> {
  const removed: PodObject[] = [];
  const { error } = await slowStart(surplus.length, surplus.length, async (index) => {
    const pod = surplus[index];
    if (pod === undefined) return;
    await remove(pod);
    removed.push(pod);
  });
  return {
    active: active.length - removed.length,
    ready: ready - removed.filter(isReady).length,
    terminating: terminating + removed.length,
    error,
  };
}

/** Returns the pods to delete: those without a valid index or with one that another pod has, and further ones. */
function* surplusPods(
  { spec, active, indexes }: JobSnapshot,
  atLeast: number,
  { clock, dialect, names }: PodWorkContext,
  work: Work,
): Steps<PodObject[]> {
  const ordered = yield* inDeletionOrder(active, { related: [], nowMs: clock.now(), dialect }, work);
  const kept = new Map<number, PodObject>();
  if (indexes !== undefined)
    for (const pod of ordered) {
      const index = validIndex(pod, names, spec);
      // Of several pods with an index, the one that would be deleted last stays.
      if (index !== undefined) kept.set(index, pod);
    }
  const isKept = (pod: PodObject): boolean =>
    indexes === undefined || kept.get(completionIndex(pod, names) ?? -1) === pod;
  const misplaced = ordered.filter((pod) => !isKept(pod));
  const further = ordered.filter(isKept).slice(0, Math.max(0, atLeast - misplaced.length));
  return [...misplaced, ...further].slice(0, BURST);
}

async function createPods(
  job: JobObject,
  snapshot: JobSnapshot,
  count: number,
  context: PodWorkContext,
): Promise<PodWork> {
  const { spec, active, ready, terminating } = snapshot;
  const nowMs = context.clock.now();
  // While it pauses, release 1.31 reports no active pods, whether there are any or not.
  const pausing = (pauseMs: number): PodWork => ({ active: 0, ready, terminating, pauseMs });
  const pauseMs = spec.backoffLimitPerIndex === undefined ? backoffLeftMs(context.backoff, nowMs) : 0;
  if (pauseMs > 0) return pausing(pauseMs);
  const changes = changesOf(job, snapshot, count, context);
  if ('pauseMs' in changes) return pausing(changes.pauseMs);
  const { succeeded, error } = await slowStart(changes.pods.length, 1, async (index) => {
    const change = changes.pods[index];
    if (change !== undefined) await context.requests.create(change);
  });
  return { active: active.length + succeeded, ready, terminating, error };
}

/** Returns the pods to create, or the time until the first index may have another pod. */
function changesOf(
  job: JobObject,
  snapshot: JobSnapshot,
  count: number,
  { names, clock }: PodWorkContext,
): { readonly pods: readonly PodChanges[] } | { readonly pauseMs: number } {
  const { spec, indexes, active, pods } = snapshot;
  if (indexes === undefined) return { pods: Array.from({ length: count }, () => podChanges(job, names)) };
  const terminating = replacesFailedOnly(spec) ? pods.filter(isTerminating) : [];
  const present = [...active, ...terminating].flatMap((pod) => completionIndex(pod, names) ?? []);
  const taken = indexes.succeeded.union(IndexSet.of(present)).union(indexes.failed ?? IndexSet.empty);
  const missing = taken.missing(count, spec.completions ?? 0);
  const pauses = missing.map((index) => indexBackoffLeftMs(indexes.awaitingReplacement.get(index), names, clock.now()));
  const due = missing.filter((_, position) => pauses[position] === 0);
  if (due.length === 0 && missing.length > 0) return { pauseMs: least(pauses) };
  return {
    pods: due.map((index) => indexedPodChanges(job, names, index, indexes.awaitingReplacement.get(index))),
  };
}
