import type { coreV1 } from '../../../types/index.js';
import type { PodStatus } from './types.js';

type Condition = coreV1.PodCondition;

/** Returns a condition as it is written: a time that is not set is null, which its type does not say. */
export function writtenCondition(condition: Condition): Condition {
  const { lastProbeTime = null, lastTransitionTime = null } = condition;
  const written: Omit<Condition, 'lastProbeTime' | 'lastTransitionTime'> & Record<string, string | null | undefined> = {
    ...condition,
    lastProbeTime,
    lastTransitionTime,
  };
  return written;
}

/**
 * Returns a status with a condition. `lastTransitionTime` becomes `now` unless the condition had this status before.
 *
 * @param now RFC 3339
 */
export function withPodCondition(status: PodStatus, condition: Condition, now: string): PodStatus {
  const { conditions = [] } = status;
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const old = conditions[index];
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now;
  const changed = writtenCondition({ ...condition, lastTransitionTime });
  return { ...status, conditions: old === undefined ? [...conditions, changed] : conditions.with(index, changed) };
}

/** Returns whether a pod is ready. */
export const isPodReady = ({ status }: { readonly status?: PodStatus | undefined }): boolean =>
  (status?.conditions ?? []).some(({ type, status: value }) => type === 'Ready' && value === 'True');
