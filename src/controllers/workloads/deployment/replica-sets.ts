/**
 * Facts and orders of the replica sets of a deployment. Pure functions.
 *
 * @module
 */
import {
  compareInt64,
  compareText,
  equalSteps,
  sortedSteps,
  type JsonObject,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import type { PodTemplate } from '../shared/kinds.js';
import { numberIn, revisionIn, type RolloutAnnotations } from './annotations.js';
import { desiredReplicas, replicasOf } from './limits.js';
import type { ReplicaSets } from './status.js';
import type { DeploymentObject, ReplicaSetObject } from './types.js';

/** Label of the pods of a deployment that distinguishes its replica sets. */
export const TEMPLATE_HASH_LABEL = 'pod-template-hash';

const nameOf = ({ metadata }: ReplicaSetObject): string => metadata.name ?? '';
const createdAt = ({ metadata }: ReplicaSetObject): string => metadata.creationTimestamp ?? '';

type Order = (a: ReplicaSetObject, b: ReplicaSetObject) => number;

/** Oldest first. */
export const byAge: Order = (a, b) => compareText(createdAt(a), createdAt(b)) || compareText(nameOf(a), nameOf(b));

/** Largest first; of equal size, the newer first. */
export const bySizeNewer: Order = (a, b) => replicasOf(b) - replicasOf(a) || byAge(b, a);

/** Largest first; of equal size, the older first. */
export const bySizeOlder: Order = (a, b) => replicasOf(b) - replicasOf(a) || byAge(a, b);

/** Lowest revision first. */
export const byRevision =
  (names: RolloutAnnotations): Order =>
  (a, b) =>
    compareInt64(revisionIn(a, names) ?? 0n, revisionIn(b, names) ?? 0n) || byAge(a, b);

/** Returns the replica sets that should have pods. */
export const activeSets = (sets: readonly ReplicaSetObject[]): ReplicaSetObject[] =>
  sets.filter((set) => replicasOf(set) > 0);

/** Returns whether two templates are equal but for the label that the controller adds. */
export function equalTemplates(a: PodTemplate | undefined, b: PodTemplate | undefined, work: Work): Steps<boolean> {
  return equalSteps(work, withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplate | undefined): JsonObject {
  const { labels, ...metadata } = template?.metadata ?? {};
  const { [TEMPLATE_HASH_LABEL]: _, ...others } = labels ?? {};
  return { ...template, metadata: { ...metadata, labels: others } };
}

/** Returns which replica set has the template of a deployment: the oldest one, when several have it. */
export function* sortedOut(
  deployment: DeploymentObject,
  sets: readonly ReplicaSetObject[],
  work: Work,
): Steps<ReplicaSets> {
  const byTime = yield* sortedSteps([...sets], byAge, work);
  let current: ReplicaSetObject | undefined;
  for (const set of byTime) {
    if (work.spend(SET_UNITS)) yield;
    if (!(yield* equalTemplates(set.spec?.template, deployment.spec?.template, work))) continue;
    current = set;
    break;
  }
  return { current, old: byTime.filter((set) => set !== current) };
}

/** Units of work to compare a replica set, besides its template. */
const SET_UNITS = 20;

/**
 * Returns whether a replica set was last scaled for another number of replicas than the deployment wants now: the
 * deployment was scaled.
 */
export function isScaled(
  deployment: DeploymentObject,
  sets: readonly ReplicaSetObject[],
  { desiredReplicas: annotation }: RolloutAnnotations,
): boolean {
  return activeSets(sets).some((set) => {
    const desired = numberIn(set, annotation);
    return desired !== undefined && desired !== desiredReplicas(deployment);
  });
}

/**
 * Returns whether the status of a replica set is older than its spec, so that its counts must not decide which pods are
 * removed. A status without a generation, which another program writes, is judged by its counts.
 */
export function isOutdated({ metadata, status, ...set }: ReplicaSetObject): boolean {
  const { observedGeneration, availableReplicas = 0 } = status ?? {};
  return (
    (observedGeneration !== undefined && observedGeneration < (metadata.generation ?? 0)) ||
    availableReplicas > replicasOf({ metadata, ...set })
  );
}

/** Returns whether a replica set has all pods of its deployment, and all are available. */
export function isSaturated(
  deployment: DeploymentObject,
  set: ReplicaSetObject | undefined,
  { desiredReplicas: annotation }: RolloutAnnotations,
): boolean {
  const desired = desiredReplicas(deployment);
  return (
    set !== undefined &&
    replicasOf(set) === desired &&
    numberIn(set, annotation) === desired &&
    (set.status?.availableReplicas ?? 0) === desired
  );
}

/** Returns the only replica set with pods, or the newest when none has pods. Undefined when several have pods. */
export function onlyActiveOrNewest({ current, old }: ReplicaSets): ReplicaSetObject | undefined {
  const active = activeSets(current === undefined ? old : [...old, current]);
  if (active.length > 1) return undefined;
  return active[0] ?? current ?? [...old].sort(byAge).at(-1);
}
