/**
 * The pods of a stateful set by their places. Pure functions.
 *
 * @module
 */
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

/** Sorts the pods of a set. */
export function slotsOf(set: StatefulSetObject, pods: readonly PodObject[]): Slots {
  const first = firstOrdinal(set);
  const replicas = new Map<number, PodObject>();
  const condemned: { readonly pod: PodObject; readonly ordinal: number }[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) continue;
    if (isWanted(set, ordinal)) replicas.set(ordinal - first, pod);
    else condemned.push({ pod, ordinal });
  }
  condemned.sort((a, b) => b.ordinal - a.ordinal);
  return { count: replicasOf(set), replicas, condemned: condemned.map(({ pod }) => pod) };
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
export function firstUnhealthy({ count, replicas, condemned }: Slots): PodObject | undefined {
  for (let index = 0; index < count; index += 1) {
    const pod = replicas.get(index);
    if (pod === undefined || !isHealthy(pod)) return pod;
  }
  return condemned.findLast((pod) => !isHealthy(pod));
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
export function countsOf(
  { replicas, condemned }: Slots,
  revisions: { readonly current: string; readonly update: string },
  minReadySeconds: number,
  nowMs: number,
): Counts {
  const pods = [...replicas.values(), ...condemned];
  const count = (counts: (pod: PodObject) => boolean): number => pods.filter(counts).length;
  return {
    replicas: pods.length,
    readyReplicas: count(isRunningAndReady),
    availableReplicas: count((pod) => isRunningAndAvailable(pod, minReadySeconds, nowMs)),
    currentReplicas: count((pod) => !isTerminating(pod) && podRevision(pod) === revisions.current),
    updatedReplicas: count((pod) => !isTerminating(pod) && podRevision(pod) === revisions.update),
  };
}
