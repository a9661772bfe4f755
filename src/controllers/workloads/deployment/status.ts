/**
 * The status of a deployment, as release 1.31 computes it. Pure functions.
 *
 * @module
 */
import { goQuote, parseTime } from '../../../foundation/index.js';
import { conditionOf, newCondition, REASON, withCondition, withoutCondition } from './conditions.js';
import {
  actualPods,
  availablePods,
  desiredPods,
  desiredReplicas,
  minAvailable,
  progressDeadline,
  readyPods,
} from './limits.js';
import type { DeploymentCondition, DeploymentObject, DeploymentStatus, ReplicaSetObject } from './types.js';

const MS_PER_SECOND = 1000;

/** The replica sets of a deployment. */
export interface ReplicaSets {
  /** The one with the deployment's template; undefined when it does not exist. */
  readonly current: ReplicaSetObject | undefined;
  readonly old: readonly ReplicaSetObject[];
}

/** Returns all replica sets of a deployment. */
export const allSets = ({ current, old }: ReplicaSets): ReplicaSetObject[] =>
  current === undefined ? [...old] : [...old, current];

/** Returns the counts and the condition Available. Other conditions are those of `before`. */
export function countedStatus(
  deployment: DeploymentObject,
  before: DeploymentStatus,
  sets: ReplicaSets,
  nowMs: number,
): DeploymentStatus {
  const all = allSets(sets);
  const available = availablePods(all);
  const status: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation,
    replicas: actualPods(all),
    updatedReplicas: sets.current?.status?.replicas ?? 0,
    readyReplicas: readyPods(all),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, desiredPods(all) - available),
    collisionCount: before.collisionCount,
    conditions: before.conditions,
  };
  return withCondition(
    status,
    available >= minAvailable(deployment)
      ? newCondition(nowMs, 'Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.')
      : newCondition(
          nowMs,
          'Available',
          'False',
          'MinimumReplicasUnavailable',
          'Deployment does not have minimum availability.',
        ),
  );
}

/** Returns whether all pods are new and available, and no others exist. */
export function isComplete(deployment: DeploymentObject, status: DeploymentStatus): boolean {
  const desired = desiredReplicas(deployment);
  return (
    (status.updatedReplicas ?? 0) === desired &&
    (status.replicas ?? 0) === desired &&
    (status.availableReplicas ?? 0) === desired &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** Returns whether a status is closer to the end of the rollout than the stored one. */
function hasProgressed({ status: before = {} }: DeploymentObject, after: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    old(after) < old(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

/** Returns the time at which a rollout without further progress has failed, in milliseconds; undefined without a deadline. */
export function deadlineOf(deployment: DeploymentObject, status: DeploymentStatus): number | undefined {
  const seconds = progressDeadline(deployment);
  const condition = conditionOf(status, 'Progressing');
  if (seconds === undefined || condition === undefined) return undefined;
  return (parseTime(condition.lastUpdateTime ?? '') ?? 0) + seconds * MS_PER_SECOND;
}

function hasTimedOut(deployment: DeploymentObject, status: DeploymentStatus, nowMs: number): boolean {
  const reason = conditionOf(status, 'Progressing')?.reason;
  if (reason === REASON.available) return false;
  if (reason === REASON.timedOut) return true;
  const deadline = deadlineOf(deployment, status);
  return deadline !== undefined && deadline < nowMs;
}

/**
 * Returns the status during a rollout: the counts, and the conditions Progressing and ReplicaFailure.
 *
 * @param before the stored status, with the conditions that this run has set already
 */
export function rolloutStatus(
  deployment: DeploymentObject,
  before: DeploymentStatus,
  sets: ReplicaSets,
  nowMs: number,
): DeploymentStatus {
  let status = countedStatus(deployment, before, sets, nowMs);
  if (progressDeadline(deployment) === undefined) status = withoutCondition(status, 'Progressing');
  else status = withProgress(deployment, before, status, sets, nowMs);
  const failure = failureOf(sets);
  return failure === undefined ? withoutCondition(status, 'ReplicaFailure') : withCondition(status, failure);
}

function withProgress(
  deployment: DeploymentObject,
  before: DeploymentStatus,
  status: DeploymentStatus,
  { current: set }: ReplicaSets,
  nowMs: number,
): DeploymentStatus {
  const current = conditionOf(before, 'Progressing');
  // A finished rollout stays finished, also when pods become unavailable later.
  if ((status.replicas ?? 0) === (status.updatedReplicas ?? 0) && current?.reason === REASON.available) return status;
  const subject =
    set === undefined
      ? `Deployment ${goQuote(deployment.metadata.name ?? '')}`
      : `ReplicaSet ${goQuote(set.metadata.name ?? '')}`;
  if (isComplete(deployment, status))
    return withCondition(
      status,
      newCondition(nowMs, 'Progressing', 'True', REASON.available, `${subject} has successfully progressed.`),
    );
  if (hasProgressed(deployment, status)) {
    const condition = newCondition(nowMs, 'Progressing', 'True', REASON.updated, `${subject} is progressing.`);
    const kept = current?.status === 'True' ? { lastTransitionTime: current.lastTransitionTime } : {};
    // The time of the update changes with every step: the deadline counts from the last one.
    return withCondition(withoutCondition(status, 'Progressing'), { ...condition, ...kept });
  }
  if (!hasTimedOut(deployment, status, nowMs)) return status;
  return withCondition(
    status,
    newCondition(nowMs, 'Progressing', 'False', REASON.timedOut, `${subject} has timed out progressing.`),
  );
}

/** Returns the failure of the new replica set, or else of another one. */
function failureOf({ current, old }: ReplicaSets): DeploymentCondition | undefined {
  for (const set of current === undefined ? old : [current, ...old]) {
    const failure = set.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
    if (failure !== undefined) return { ...failure, lastUpdateTime: failure.lastTransitionTime };
  }
  return undefined;
}
