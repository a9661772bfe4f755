import type { autoscalingV2 } from '../../kinds/index.js';

/** The status of an autoscaler. */
export type AutoscalerStatus = autoscalingV2.HorizontalPodAutoscalerStatus;

/** Type, status, reason and message of a condition. */
export type ConditionFacts = readonly [type: string, status: 'True' | 'False', reason: string, message: string];

/** Returns a status with a condition. Its time changes with its status only. */
export function withCondition(
  status: AutoscalerStatus,
  [type, value, reason, message]: ConditionFacts,
  now: string,
): AutoscalerStatus {
  const conditions = status.conditions ?? [];
  const old = conditions.find((condition) => condition.type === type);
  const lastTransitionTime = old?.status === value ? (old.lastTransitionTime ?? now) : now;
  const changed = { type, status: value, reason, message, lastTransitionTime };
  const isNew = old === undefined;
  return {
    ...status,
    conditions: isNew ? [...conditions, changed] : conditions.map((one) => (one === old ? changed : one)),
  };
}
