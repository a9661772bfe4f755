/**
 * The facts that a Job reads from its pods.
 *
 * @module
 */
import { greatest, parseTime, secondsAsMs } from '../../../foundation/index.js';
import type { PodObject } from '../../workloads/shared/kinds.js';
import { replacesFailedOnly, type JobNames, type JobSpec } from './types.js';

const MAX_INT32 = 2 ** 31 - 1;

/** Returns whether a pod is not counted in the status of its Job yet. */
export const isTracked = ({ metadata }: PodObject, { finalizer }: JobNames): boolean =>
  metadata.finalizers?.includes(finalizer) === true;

/** Returns whether a pod counts as failed. A pod that is being deleted does, unless the Job waits for its end. */
export function hasFailed({ metadata, status }: PodObject, spec: JobSpec): boolean {
  if (status?.phase === 'Failed') return true;
  return !replacesFailedOnly(spec) && metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded';
}

export const hasSucceeded = ({ status }: PodObject): boolean => status?.phase === 'Succeeded';

/** Returns the index of a pod; undefined when it has none. */
export function completionIndex(
  { metadata }: PodObject,
  { completionIndex: annotation }: JobNames,
): number | undefined {
  const text = metadata.annotations?.[annotation];
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Returns the index of a pod, if it is one of the Job. */
export function validIndex(pod: PodObject, names: JobNames, { completions = 0 }: JobSpec): number | undefined {
  const index = completionIndex(pod, names);
  return index !== undefined && index < completions ? index : undefined;
}

function countOf({ metadata }: PodObject, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? '';
  const count = /^[+-]?\d+$/.test(text) ? Number(text) : 0;
  return count < 0 || count > MAX_INT32 ? 0 : count;
}

/** Returns how many pods of the same index failed before, without those that the failure policy ignored. */
export const earlierFailures = (pod: PodObject, { indexFailures }: JobNames): number => countOf(pod, indexFailures);

/** Returns how many failures of the same index the failure policy ignored before. */
export const ignoredFailures = (pod: PodObject, { indexIgnoredFailures }: JobNames): number =>
  countOf(pod, indexIgnoredFailures);

/**
 * Returns when a pod ended, in milliseconds since the epoch: when its last container did, when it became unready,
 * when it was deleted, or else when it was created.
 */
export function finishedMs({ metadata, status }: PodObject): number {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => parseTime(state?.terminated?.finishedAt ?? ''));
  const known = ends.filter((end) => end !== undefined);
  if (known.length > 0 && known.length === ends.length) return greatest(known);
  const unready = status?.conditions?.find((condition) => condition.type === 'Ready' && condition.status === 'False');
  const unreadyMs = parseTime(unready?.lastTransitionTime ?? '');
  if (unreadyMs !== undefined) return unreadyMs;
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = metadata;
  const deletedMs = parseTime(deletionTimestamp ?? '');
  if (deletedMs !== undefined) return deletedMs - secondsAsMs(deletionGracePeriodSeconds);
  return parseTime(creationTimestamp ?? '') ?? 0;
}
