import { formatTime } from '../../../foundation/index.js';
import type { DeploymentCondition, DeploymentStatus } from './types.js';

/** Reasons of the condition Progressing. */
export const REASON = {
  created: 'NewReplicaSetCreated',
  found: 'FoundNewReplicaSet',
  updated: 'ReplicaSetUpdated',
  available: 'NewReplicaSetAvailable',
  createFailed: 'ReplicaSetCreateError',
  timedOut: 'ProgressDeadlineExceeded',
  paused: 'DeploymentPaused',
  resumed: 'DeploymentResumed',
} as const;

/** Returns the condition of a type. */
export function conditionOf({ conditions }: DeploymentStatus, type: string): DeploymentCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Returns a condition that begins now. */
export function newCondition(
  nowMs: number,
  type: string,
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
): DeploymentCondition {
  const now = formatTime(nowMs);
  return { type, status, reason, message, lastUpdateTime: now, lastTransitionTime: now };
}

/**
 * Returns a status with a condition. A condition with the same status and reason stays as it is; one with the same
 * status keeps its time of transition.
 */
export function withCondition(status: DeploymentStatus, condition: DeploymentCondition): DeploymentStatus {
  const current = conditionOf(status, condition.type);
  if (current?.status === condition.status && current.reason === condition.reason) return status;
  const kept = current?.status === condition.status ? { lastTransitionTime: current.lastTransitionTime } : {};
  const others = withoutCondition(status, condition.type).conditions ?? [];
  return { ...status, conditions: [...others, { ...condition, ...kept }] };
}

/** Returns a status without the condition of a type. */
export function withoutCondition(status: DeploymentStatus, type: string): DeploymentStatus {
  if (conditionOf(status, type) === undefined) return status;
  return { ...status, conditions: status.conditions?.filter((condition) => condition.type !== type) };
}
