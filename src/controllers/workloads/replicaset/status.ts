import { formatTime, messageOf, type Steps, type Work } from '../../../foundation/index.js';
import type { appsV1 } from '../../../kinds/index.js';
import type { PodObject } from '../shared/kinds.js';
import { isAvailable, isReady } from '../shared/pod-state.js';
import type { ReplicaOwner } from './replica-kind.js';

/** The result of creating or deleting the pods that differ from the desired number. */
export interface Managed {
  /** The first failure. */
  readonly error?: unknown;
}

/** Units of work to look at a pod, besides the labels of the template. */
const POD_UNITS = 10;

/** Returns the status of a set of replicas. */
export function* replicaStatus(
  owner: ReplicaOwner,
  pods: readonly PodObject[],
  { managed: { error }, nowMs }: { readonly managed: Managed; readonly nowMs: number },
  work: Work,
): Steps<appsV1.ReplicaSetStatus> {
  const { replicas: desired = 1, minReadySeconds = 0, template } = owner.spec ?? {};
  const labels = Object.entries(template?.metadata?.labels ?? {});
  let fullyLabeledReplicas = 0;
  let readyReplicas = 0;
  let availableReplicas = 0;
  for (const pod of pods) {
    if (work.spend(POD_UNITS + labels.length)) yield;
    if (labels.every(([key, value]) => pod.metadata.labels?.[key] === value)) fullyLabeledReplicas += 1;
    if (isReady(pod)) readyReplicas += 1;
    if (isAvailable(pod, minReadySeconds, nowMs)) availableReplicas += 1;
  }
  return {
    ...owner.status,
    replicas: pods.length,
    ...{ fullyLabeledReplicas, readyReplicas, availableReplicas },
    observedGeneration: owner.metadata.generation,
    conditions: conditionsOf(owner, error, pods.length < desired, nowMs),
  };
}

function conditionsOf(
  { status }: ReplicaOwner,
  error: unknown,
  creating: boolean,
  nowMs: number,
): appsV1.ReplicaSetCondition[] | undefined {
  const conditions = status?.conditions ?? [];
  const failed = conditions.some(({ type }) => type === 'ReplicaFailure');
  if (error === undefined)
    return failed ? conditions.filter(({ type }) => type !== 'ReplicaFailure') : status?.conditions;
  // The first failure stays until the replicas are as desired.
  if (failed) return status?.conditions;
  const failure = {
    type: 'ReplicaFailure',
    status: 'True',
    reason: creating ? 'FailedCreate' : 'FailedDelete',
    message: messageOf(error),
    lastTransitionTime: formatTime(nowMs),
  };
  return [...conditions, failure];
}
