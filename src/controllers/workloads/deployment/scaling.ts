/**
 * The sizes of replica sets after each kind of step. Pure functions.
 *
 * @module
 */
import { numberIn, type RolloutAnnotations } from './annotations.js';
import {
  availablePods,
  desiredPods,
  desiredReplicas,
  isRollingUpdate,
  maxSurge,
  minAvailable,
  nextNewReplicas,
  replicasOf,
} from './limits.js';
import {
  activeSets,
  byAge,
  bySizeNewer,
  bySizeOlder,
  isOutdated,
  isSaturated,
  onlyActiveOrNewest,
} from './replica-sets.js';
import { allSets, type ReplicaSets } from './status.js';
import type { DeploymentObject, ReplicaSetObject } from './types.js';

/** A new size of a replica set. */
export interface Resize {
  readonly set: ReplicaSetObject;
  readonly replicas: number;
  /** Whether the annotations of the sizes are written although the size stays. */
  readonly annotate?: boolean | undefined;
}

/** Returns the sizes after a change of the number of replicas: during a rollout, every set gets its share. */
export function sizesAfterScaling(
  deployment: DeploymentObject,
  sets: ReplicaSets,
  names: RolloutAnnotations,
): Resize[] {
  const single = onlyActiveOrNewest(sets);
  if (single !== undefined) return [{ set: single, replicas: desiredReplicas(deployment) }];
  if (isSaturated(deployment, sets.current, names)) {
    if (sets.current !== undefined && isOutdated(sets.current)) return [];
    return activeSets(sets.old).map((set) => ({ set, replicas: 0 }));
  }
  return isRollingUpdate(deployment) ? proportionalSizes(deployment, activeSets(allSets(sets)), names) : [];
}

function proportionalSizes(
  deployment: DeploymentObject,
  active: readonly ReplicaSetObject[],
  names: RolloutAnnotations,
): Resize[] {
  const desired = desiredReplicas(deployment);
  const allowed = desired > 0 ? desired + maxSurge(deployment) : 0;
  const toAdd = allowed - desiredPods(active);
  // The larger sets get more; of equal ones, the newer grows first and the older shrinks first.
  const ordered = [...active].sort(toAdd > 0 ? bySizeNewer : bySizeOlder);
  let added = 0;
  const sizes = ordered.map((set) => {
    const share = shareOf(set, deployment, toAdd, added, names);
    added += share;
    return replicasOf(set) + share;
  });
  // Rounding leaves a rest, which the largest set takes.
  return ordered.map((set, index) => ({
    set,
    replicas: index === 0 ? Math.max(0, (sizes[0] ?? 0) + toAdd - added) : (sizes[index] ?? 0),
    annotate: true,
  }));
}

/** Returns the number of pods that a set gets (or loses, when negative) of those that are left to distribute. */
function shareOf(
  set: ReplicaSetObject,
  deployment: DeploymentObject,
  toAdd: number,
  added: number,
  names: RolloutAnnotations,
): number {
  if (replicasOf(set) === 0 || toAdd === 0 || toAdd === added) return 0;
  const fraction = fractionOf(set, deployment, names);
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added);
}

function fractionOf(set: ReplicaSetObject, deployment: DeploymentObject, names: RolloutAnnotations): number {
  const size = replicasOf(set);
  if (desiredReplicas(deployment) === 0) return -size;
  const before = numberIn(set, names.maxReplicas) ?? deployment.status?.replicas ?? 0;
  if (before === 0) return 0;
  return roundHalfAway((size * (desiredReplicas(deployment) + maxSurge(deployment))) / before) - size;
}

const roundHalfAway = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

/** Returns the size of the new replica set in the next step of a rollout. */
export function newSetSize(deployment: DeploymentObject, sets: ReplicaSets, current: ReplicaSetObject): number {
  const desired = desiredReplicas(deployment);
  return replicasOf(current) > desired ? desired : nextNewReplicas(deployment, allSets(sets), replicasOf(current));
}

/**
 * Returns the sizes of the old replica sets in the next step of a rolling update. Their unhealthy pods go first, since
 * that makes nothing unavailable; then as many available pods as the limit allows. While a status is older than its
 * spec, the step is given up: its counts include pods that are about to be removed. The next status causes the step.
 */
export function oldSetSizes(deployment: DeploymentObject, { current, old }: ReplicaSets): Resize[] {
  if (desiredPods(old) === 0) return [];
  const all = allSets({ current, old });
  if (activeSets(all).some(isOutdated)) return [];
  const minimum = minAvailable(deployment);
  const newUnavailable = current === undefined ? 0 : replicasOf(current) - (current.status?.availableReplicas ?? 0);
  let room = desiredPods(all) - minimum - newUnavailable;
  if (room <= 0) return [];
  const oldest = [...old].sort(byAge);
  const sizes = new Map(oldest.map((set) => [set, replicasOf(set)]));
  const shrink = (set: ReplicaSetObject, count: number): void => void sizes.set(set, (sizes.get(set) ?? 0) - count);
  for (const set of oldest) {
    const unhealthy = Math.max(0, replicasOf(set) - (set.status?.availableReplicas ?? 0));
    const count = Math.min(Math.max(0, room), unhealthy);
    shrink(set, count);
    room -= count;
  }
  let surplus = availablePods(all) - minimum;
  for (const set of oldest) {
    const count = Math.min(Math.max(0, surplus), sizes.get(set) ?? 0);
    shrink(set, count);
    surplus -= count;
  }
  return oldest.flatMap((set) => {
    const replicas = sizes.get(set) ?? 0;
    return replicas === replicasOf(set) ? [] : [{ set, replicas }];
  });
}
