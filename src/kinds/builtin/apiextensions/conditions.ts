import { formatTime } from '../../../foundation/index.js';
import type { CustomResourceDefinitionCondition } from './types.js';

/** Returns whether a condition has a status. */
export function hasCondition(
  conditions: readonly CustomResourceDefinitionCondition[] | null | undefined,
  type: string,
  status: string,
): boolean {
  return conditions?.find((condition) => condition.type === type)?.status === status;
}

/**
 * Returns the conditions with one of them set. The transition time changes only with the status.
 *
 * @param nowMs milliseconds since the epoch
 */
export function withCondition(
  conditions: readonly CustomResourceDefinitionCondition[] | null | undefined,
  condition: Omit<CustomResourceDefinitionCondition, 'lastTransitionTime'>,
  nowMs: number,
): CustomResourceDefinitionCondition[] {
  const { type, status, reason, message } = condition;
  const old = conditions?.find((other) => other.type === type);
  const since = old?.status === status ? old.lastTransitionTime : undefined;
  const made = { type, status, lastTransitionTime: since ?? formatTime(nowMs), reason, message };
  if (old === undefined) return [...(conditions ?? []), made];
  return (conditions ?? []).map((other) => (other === old ? made : other));
}
