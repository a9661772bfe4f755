import { formatTime, messageOf } from '../../../foundation/index.js';
import type { appsV1 } from '../../../kinds/index.js';
import type { PodObject } from '../shared/kinds.js';
import { isAvailable, isReady } from '../shared/pod-state.js';
import type { ReplicaOwner } from './replica-kind.js';

/** The result of creating or deleting the pods that differ from the desired number. */
export interface Managed {
  /** The first failure. */
  readonly error?: unknown;
}

/** Returns the status of a set of replicas. */
export function replicaStatus(
  owner: ReplicaOwner,
  pods: readonly PodObject[],
  { error }: Managed,
  nowMs: number,
): appsV1.ReplicaSetStatus {
  const { replicas: desired = 1, minReadySeconds = 0, template } = owner.spec ?? {};
  const labels = Object.entries(template?.metadata?.labels ?? {});
  const count = (counts: (pod: PodObject) => boolean): number => pods.filter(counts).length;
  return {
    ...owner.status,
    replicas: pods.length,
    fullyLabeledReplicas: count(({ metadata }) => labels.every(([key, value]) => metadata.labels?.[key] === value)),
    readyReplicas: count(isReady),
    availableReplicas: count((pod) => isAvailable(pod, minReadySeconds, nowMs)),
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
