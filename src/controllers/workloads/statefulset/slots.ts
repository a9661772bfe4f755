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
  /** The pods that should exist, lowest ordinal first; undefined for one that does not exist. */
  readonly replicas: (PodObject | undefined)[];
  /** The pods that should not exist, highest ordinal first. */
  readonly condemned: PodObject[];
}

/** Sorts the pods of a set. */
export function slotsOf(set: StatefulSetObject, pods: readonly PodObject[]): Slots {
  const first = firstOrdinal(set);
  const replicas: (PodObject | undefined)[] = Array.from({ length: replicasOf(set) });
  const condemned: { readonly pod: PodObject; readonly ordinal: number }[] = [];
  for (const pod of pods) {
    const ordinal = ordinalOf(set, pod);
    if (ordinal === undefined) continue;
    if (isWanted(set, ordinal)) replicas[ordinal - first] = pod;
    else condemned.push({ pod, ordinal });
  }
  condemned.sort((a, b) => b.ordinal - a.ordinal);
  return { replicas, condemned: condemned.map(({ pod }) => pod) };
}

/** Returns whether a pod runs and is ready. */
export const isRunningAndReady = (pod: PodObject): boolean => pod.status?.phase === 'Running' && isReady(pod);

/** Returns whether a pod runs, is ready, and is not being deleted. */
export const isHealthy = (pod: PodObject): boolean => isRunningAndReady(pod) && !isTerminating(pod);

/** Returns whether a pod runs and is available. */
export const isRunningAndAvailable = (pod: PodObject, minReadySeconds: number, nowMs: number): boolean =>
  isRunningAndReady(pod) && isAvailable(pod, minReadySeconds, nowMs);

/** Returns the unhealthy pod with the lowest ordinal, of the wanted ones first. */
export function firstUnhealthy({ replicas, condemned }: Slots): PodObject | undefined {
  const wanted = replicas.findIndex((pod) => pod === undefined || !isHealthy(pod));
  if (wanted >= 0) return replicas[wanted];
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
  const pods = [...replicas, ...condemned].filter((pod) => pod !== undefined);
  const count = (counts: (pod: PodObject) => boolean): number => pods.filter(counts).length;
  return {
    replicas: pods.length,
    readyReplicas: count(isRunningAndReady),
    availableReplicas: count((pod) => isRunningAndAvailable(pod, minReadySeconds, nowMs)),
    currentReplicas: count((pod) => !isTerminating(pod) && podRevision(pod) === revisions.current),
    updatedReplicas: count((pod) => !isTerminating(pod) && podRevision(pod) === revisions.update),
  };
}
