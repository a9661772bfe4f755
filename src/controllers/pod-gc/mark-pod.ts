import type { Client } from '../../client/index.js';
import { formatTime, type Clock } from '../../foundation/index.js';
import { Pod, type coreV1 } from '../../kinds/index.js';
import { retryOnConflict } from '../runtime/failures.js';
import type { PodObject } from '../workloads/shared/kinds.js';

/** The dependencies of {@link markPod}. */
export interface MarkOptions {
  readonly client: Client;
  readonly clock: Clock;
}

/** Why a pod is about to be deleted: a condition, another phase, or both. */
export interface PodMark {
  readonly condition?: coreV1.PodCondition | undefined;
  readonly phase?: string | undefined;
}

/**
 * Writes to the status of a pod why it is about to be deleted, so that its controller knows. Does nothing when the status
 * says so already; retries when somebody else has changed the pod.
 *
 * @throws ApiError 404 when the pod is gone
 */
export async function markPod({ client, clock }: MarkOptions, pod: PodObject, mark: PodMark): Promise<void> {
  const { namespace = '', name = '', uid } = pod.metadata;
  const pods = client.resource(Pod).namespace(namespace);
  let current: PodObject | undefined = pod;
  await retryOnConflict(async () => {
    current ??= await pods.get(name);
    const known = current;
    current = undefined;
    const status = marked(known.status ?? {}, mark, formatTime(clock.now()));
    if (status !== undefined && known.metadata.uid === uid) await pods.updateStatus({ ...known, status });
  });
}

/** Returns the status with a mark; undefined when it has the mark already. */
function marked(
  status: coreV1.PodStatus,
  { condition, phase = status.phase }: PodMark,
  now: string,
): coreV1.PodStatus | undefined {
  const { conditions = [] } = status;
  const old = conditions.find(({ type }) => type === condition?.type);
  const isMarked =
    condition === undefined ||
    (old?.status === condition.status && old.reason === condition.reason && old.message === condition.message);
  if (isMarked && status.phase === phase) return undefined;
  const others = conditions.filter(({ type }) => type !== condition?.type);
  const lastTransitionTime = (old?.status === condition?.status ? old?.lastTransitionTime : undefined) ?? now;
  return {
    ...status,
    ...(phase === undefined ? {} : { phase }),
    conditions: condition === undefined ? conditions : [...others, { ...condition, lastTransitionTime }],
  };
}
