/**
 * The numbers of a rollout: how many pods it may add and how many may be unavailable.
 *
 * @module
 */
import { scaledValue } from '../shared/scaled-value.js';
import type { DeploymentObject, ReplicaSetObject } from './types.js';

/** Value of a deadline or history limit that means that there is none. */
const UNLIMITED = 2_147_483_647;

/** Desired number of pods of a deployment. */
export const desiredReplicas = ({ spec }: DeploymentObject): number => spec?.replicas ?? 1;

/** Desired number of pods of a replica set. */
export const replicasOf = ({ spec }: ReplicaSetObject): number => spec?.replicas ?? 1;

/** Returns whether a deployment replaces its pods step by step. */
export const isRollingUpdate = ({ spec }: DeploymentObject): boolean => spec?.strategy?.type !== 'Recreate';

interface Fenceposts {
  readonly surge: number;
  readonly unavailable: number;
}

/** Returns both limits as numbers. When both are zero, one pod may be unavailable: otherwise nothing could change. */
function fenceposts(deployment: DeploymentObject): Fenceposts {
  const { maxSurge = '25%', maxUnavailable = '25%' } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const desired = desiredReplicas(deployment);
  const surge = scaledValue(maxSurge, desired, 'up');
  const unavailable = scaledValue(maxUnavailable, desired, 'down');
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** Maximum number of pods above the desired number. */
export function maxSurge(deployment: DeploymentObject): number {
  return isRollingUpdate(deployment) ? fenceposts(deployment).surge : 0;
}

/** Maximum number of pods that may be unavailable. */
export function maxUnavailable(deployment: DeploymentObject): number {
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment) || desired === 0) return 0;
  return Math.min(fenceposts(deployment).unavailable, desired);
}

/** Number of pods that must be available. */
export const minAvailable = (deployment: DeploymentObject): number =>
  desiredReplicas(deployment) - maxUnavailable(deployment);

/** Returns the deadline for progress in seconds; undefined when there is none. */
export function progressDeadline({ spec }: DeploymentObject): number | undefined {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds === UNLIMITED ? undefined : seconds;
}

/** Returns how many old replica sets are kept; undefined when all are. */
export function historyLimit({ spec }: DeploymentObject): number | undefined {
  const limit = spec?.revisionHistoryLimit;
  return limit === UNLIMITED ? undefined : limit;
}

const sum = (sets: readonly ReplicaSetObject[], count: (set: ReplicaSetObject) => number): number =>
  sets.reduce((total, set) => total + count(set), 0);

/** Number of pods that replica sets should have. */
export const desiredPods = (sets: readonly ReplicaSetObject[]): number => sum(sets, replicasOf);

/** Number of pods that replica sets have. */
export const actualPods = (sets: readonly ReplicaSetObject[]): number =>
  sum(sets, ({ status }) => status?.replicas ?? 0);

/** Number of ready pods of replica sets. */
export const readyPods = (sets: readonly ReplicaSetObject[]): number =>
  sum(sets, ({ status }) => status?.readyReplicas ?? 0);

/** Number of available pods of replica sets. */
export const availablePods = (sets: readonly ReplicaSetObject[]): number =>
  sum(sets, ({ status }) => status?.availableReplicas ?? 0);

/**
 * Returns the number of pods of the new replica set in the next step: as many as the surge allows.
 *
 * @param all all replica sets of the deployment, the new one included
 */
export function nextNewReplicas(
  deployment: DeploymentObject,
  all: readonly ReplicaSetObject[],
  current: number,
): number {
  const desired = desiredReplicas(deployment);
  if (!isRollingUpdate(deployment)) return desired;
  const room = desired + maxSurge(deployment) - desiredPods(all);
  return room <= 0 ? current : current + Math.min(room, desired - current);
}
