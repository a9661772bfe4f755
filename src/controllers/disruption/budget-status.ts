import { formatTime, parseTime, type Steps, type Work } from '../../foundation/index.js';
import type { metaV1 } from '../../kinds/index.js';
import type { PodObject } from '../workloads/shared/kinds.js';
import { isReady, isTerminating } from '../workloads/shared/pod-state.js';
import type { Budget, BudgetStatus } from './types.js';

/** Time within which a disrupted pod must be deleted, in milliseconds; after it the disruption is taken back. */
const DELETION_TIMEOUT_MS = 120_000;

const ALLOWED = 'DisruptionAllowed';

/** The disruptions of a budget that have not led to deletions yet. */
export interface Disruptions {
  /** The times of the disruptions, by the name of the pod. */
  readonly pods: Readonly<Record<string, string>>;
  /** Pods that were not deleted in time. */
  readonly expired: readonly PodObject[];
  /** When the next disruption expires, in milliseconds since the epoch; Infinity when there is none. */
  readonly nextExpiryMs: number;
}

/** The disruptions of a budget, and the number of its pods that are ready, and neither deleted nor disrupted. */
export interface CountedPods extends Disruptions {
  readonly currentHealthy: number;
}

/** Units of work to look at a pod. */
const POD_UNITS = 10;

/**
 * Counts the healthy pods, and finds the disruptions that still count: those of existing pods that are not being deleted,
 * for two minutes.
 */
export function* countPods(
  { status }: Budget,
  pods: readonly PodObject[],
  nowMs: number,
  work: Work,
): Steps<CountedPods> {
  let currentHealthy = 0;
  const pending: Record<string, string> = {};
  const expired: PodObject[] = [];
  let nextExpiryMs = Infinity;
  const times = status?.disruptedPods ?? {};
  for (const pod of pods) {
    if (work.spend(POD_UNITS)) yield;
    if (isTerminating(pod)) continue;
    const { name = '' } = pod.metadata;
    const time = Object.hasOwn(times, name) ? times[name] : undefined;
    const expiryMs = time === undefined ? -Infinity : (parseTime(time) ?? 0) + DELETION_TIMEOUT_MS;
    if (time !== undefined && expiryMs < nowMs) expired.push(pod);
    else if (time !== undefined) {
      pending[name] = time;
      nextExpiryMs = Math.min(nextExpiryMs, expiryMs);
    }
    if (expiryMs <= nowMs && isReady(pod)) currentHealthy += 1;
  }
  return { pods: pending, expired, nextExpiryMs, currentHealthy };
}

/** The counts of a budget. */
export interface BudgetCounts {
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
}

/** Returns the new status of a budget. */
export function statusOf(budget: Budget, counts: BudgetCounts, { pods }: Disruptions, nowMs: number): BudgetStatus {
  const { currentHealthy, desiredHealthy, expectedPods } = counts;
  // A budget without pods allows nothing, so that its first pods are safe before they are counted.
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = budget.metadata.generation;
  const condition = {
    type: ALLOWED,
    status: disruptionsAllowed > 0 ? 'True' : 'False',
    reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration,
  };
  return {
    observedGeneration,
    ...(Object.keys(pods).length === 0 ? {} : { disruptedPods: pods }),
    disruptionsAllowed,
    ...{ currentHealthy, desiredHealthy, expectedPods },
    conditions: withCondition(budget.status?.conditions, condition, nowMs),
  };
}

/** Returns the status after a failure: no disruption is allowed, and the rest stays. */
export function failedStatus({ status }: Budget, problem: string, nowMs: number): BudgetStatus {
  const before = status ?? { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  const condition = {
    type: ALLOWED,
    status: 'False',
    reason: 'SyncFailed',
    message: problem,
    observedGeneration: before.observedGeneration,
  };
  return { ...before, disruptionsAllowed: 0, conditions: withCondition(before.conditions, condition, nowMs) };
}

/** Replaces the condition of a type. Its time changes with its status only. */
function withCondition(
  conditions: readonly metaV1.Condition[] = [],
  condition: Omit<metaV1.Condition, 'lastTransitionTime'>,
  nowMs: number,
): metaV1.Condition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : formatTime(nowMs);
  const fresh = { ...condition, lastTransitionTime };
  return old === undefined ? [...conditions, fresh] : conditions.map((present) => (present === old ? fresh : present));
}
