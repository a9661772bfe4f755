import { parseTime } from '../../../foundation/index.js';
import type { PodObject } from './kinds.js';

const MS_PER_SECOND = 1000;

/** Returns whether a pod has ended. */
export function hasEnded({ status }: PodObject): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** Returns whether a pod is being deleted. */
export const isTerminating = ({ metadata }: PodObject): boolean => metadata.deletionTimestamp !== undefined;

/** Returns whether a pod counts as a replica: it has not ended, and is not being deleted. */
export const isActive = (pod: PodObject): boolean => !hasEnded(pod) && !isTerminating(pod);

function readyCondition({
  status,
}: PodObject): { status: string; lastTransitionTime?: string | null | undefined } | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

/** Returns whether a pod is ready. */
export const isReady = (pod: PodObject): boolean => readyCondition(pod)?.status === 'True';

/** Returns since when a pod is ready, in milliseconds since the epoch. Undefined when it is not, or the time is unknown. */
export function readySince(pod: PodObject): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== 'True' || !condition.lastTransitionTime) return undefined;
  return parseTime(condition.lastTransitionTime);
}

/**
 * Returns the time from which a pod is available: it is ready for `minReadySeconds`. Undefined when it is not ready, or
 * it is unknown since when it is.
 */
export function availableFrom(pod: PodObject, minReadySeconds: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return -Infinity;
  const since = readySince(pod);
  return since === undefined ? undefined : since + minReadySeconds * MS_PER_SECOND;
}

/** Returns whether a pod is available now. */
export function isAvailable(pod: PodObject, minReadySeconds: number, nowMs: number): boolean {
  const from = availableFrom(pod, minReadySeconds);
  return from !== undefined && from <= nowMs;
}

/** Returns the time when the next pod becomes available; Infinity when none will by the passing of time alone. */
export function nextAvailable(pods: readonly PodObject[], minReadySeconds: number, nowMs: number): number {
  let next = Infinity;
  if (minReadySeconds === 0) return next;
  for (const pod of pods) {
    const from = availableFrom(pod, minReadySeconds);
    if (from !== undefined && from > nowMs) next = Math.min(next, from);
  }
  return next;
}
