import { formatTime } from '../../../foundation/index.js';
import type { JobCondition, JobStatus } from './types.js';

/** Returns a condition that is true. */
export function condition(type: string, reason: string, message: string, nowMs: number): JobCondition {
  const time = formatTime(nowMs);
  return { type, status: 'True', lastProbeTime: time, lastTransitionTime: time, reason, message };
}

/** Returns a condition of a status, if it is true. */
export const trueCondition = ({ conditions }: JobStatus, type: string): JobCondition | undefined =>
  conditions?.find((found) => found.type === type && found.status === 'True');

/** Returns whether a Job has ended. */
export const isFinished = (status: JobStatus = {}): boolean =>
  trueCondition(status, 'Complete') !== undefined || trueCondition(status, 'Failed') !== undefined;

/**
 * Sets a condition. A condition that is false is not added, since that would say nothing.
 *
 * @returns whether the status has changed
 */
export function setCondition(status: JobStatus, wanted: JobCondition): boolean {
  const conditions = status.conditions ?? [];
  const known = conditions.find(({ type }) => type === wanted.type);
  if (known === undefined ? wanted.status === 'False' : isSame(known, wanted)) return false;
  status.conditions =
    known === undefined
      ? [...conditions, wanted]
      : conditions.map((other) => (other.type === wanted.type ? wanted : other));
  return true;
}

const isSame = (a: JobCondition, b: JobCondition): boolean =>
  a.status === b.status && (a.reason ?? '') === (b.reason ?? '') && (a.message ?? '') === (b.message ?? '');
