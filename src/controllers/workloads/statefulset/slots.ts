/**
 * The pods of a stateful set by their places. Pure functions, which take steps: a set may have
 * tens of thousands of pods.
 *
 * @module
 */
import { sortedSteps, type Steps, type Work } from '../../../foundation/index.js';
import type { PodObject } from '../shared/kinds.js';
import { isAvailable, isReady, isTerminating } from '../shared/pod-state.js';
import { firstOrdinal, isWanted, ordinalOf, podRevision, replicasOf } from './identity.js';
import type { StatefulSetObject } from './types.js';

/** The pods of a set. */
export interface Slots {
  /** Number of pods that should exist. It may be far beyond what a server can hold. */
  readonly count: number;
  /** Those of them that exist, by their place from the first ordinal. */
  readonly replicas: ReadonlyMap<number, PodObject>;
  /** The pods that should not exist, highest ordinal first. */
  readonly condemned: PodObject[];
}

/** Units of work to look at a pod. */
const POD_UNITS = 8;

/** Sorts the pods of a set. */
export function* slotsOf(set: StatefulSetObject, pods: readonly PodObject[], work: Work): Steps<Slots> {
  const first = firstOrdinal(set);
  const replicas = new Map<number, PodObject>();
  const condemned: { readonly pod: PodObject; readonly ordinal: number }[] = [];
  for (const pod of pods) {
    if (work.spend(POD_UNITS)) yield;
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) continue;
    if (isWanted(set, ordinal)) replicas.set(ordinal - first, pod);
    else condemned.push({ pod, ordinal });
  }
  const sorted = yield* sortedSteps(condemned, (a, b) => b.ordinal - a.ordinal, work);
  return { count: replicasOf(set), replicas, condemned: sorted.map(({ pod }) => pod) };
}

/**
 * Returns the places that a step works on: all that have a pod, and the first ones that have none.
 *
 * @param missing maximum number of those without a pod
 */
export function placesOf({ count, replicas }: Slots, missing: number): number[] {
  const places = [...replicas.keys()];
  let left = missing;
  for (let index = 0; index < count && left > 0; index += 1) {
    if (replicas.has(index)) continue;
    places.push(index);
    left -= 1;
  }
  return places.sort((a, b) => a - b);
}

/** Returns whether a pod runs and is ready. */
export const isRunningAndReady = (pod: PodObject): boolean => pod.status?.phase === 'Running' && isReady(pod);

/** Returns whether a pod runs, is ready, and is not being deleted. */
export const isHealthy = (pod: PodObject): boolean => isRunningAndReady(pod) && !isTerminating(pod);

/** Returns whether a pod runs and is available. */
export const isRunningAndAvailable = (pod: PodObject, minReadySeconds: number, nowMs: number): boolean =>
  isRunningAndReady(pod) && isAvailable(pod, minReadySeconds, nowMs);

/** Returns the unhealthy pod with the lowest ordinal, of the wanted ones first. */
export function* firstUnhealthy({ count, replicas, condemned }: Slots, work: Work): Steps<PodObject | undefined> {
  for (let index = 0; index < count; index += 1) {
    if (work.spend(POD_UNITS)) yield;
    const pod = replicas.get(index);
    if (pod === undefined || !isHealthy(pod)) return pod;
  }
  for (let index = condemned.length - 1; index >= 0; index -= 1) {
    if (work.spend(POD_UNITS)) yield;
    const pod = condemned[index];
    if (pod !== undefined && !isHealthy(pod)) return pod;
  }
  return undefined;
}

/** Counts of pods, which the status reports. */
export interface Counts {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly currentReplicas: number;
  readonly updatedReplicas: number;
}

/** Counts the pods. */
export function* countsOf(
  { replicas, condemned }: Slots,
  revisions: { readonly current: string; readonly update: string },
  minReadySeconds: number,
  nowMs: number,
  work: Work,
): Steps<Counts> {
  let [ready, available, current, updated] = [0, 0, 0, 0];
  for (const pods of [replicas.values(), condemned])
    for (const pod of pods) {
      if (work.spend(POD_UNITS)) yield;
      if (isRunningAndReady(pod)) ready += 1;
      if (isRunningAndAvailable(pod, minReadySeconds, nowMs)) available += 1;
      if (isTerminating(pod)) continue;
      const revision = podRevision(pod);
      if (revision === revisions.current) current += 1;
      if (revision === revisions.update) updated += 1;
    }
  return {
    replicas: replicas.size + condemned.length,
    readyReplicas: ready,
    availableReplicas: available,
    currentReplicas: current,
    updatedReplicas: updated,
  };
}
