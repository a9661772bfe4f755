import type { Client } from '../../client/index.js';
import type { coreV1 } from '../../kinds/index.js';
import type { Clock } from '../../meta/clock.js';
import { formatTime } from '../../meta/time.js';
import { Pod } from '../../resources/index.js';
import type { PodObject } from '../workloads/shared/kinds.js';

/** What {@link markPod} needs. */
export interface MarkOptions {
  readonly client: Client;
  readonly clock: Clock;
}

/**
 * Writes a condition, or another phase, to the status of a pod that is about to be deleted: its controller learns why.
 * Does nothing when the pod has both already.
 *
 * @throws ApiError 404 when the pod is gone, 409 when it has changed
 */
export async function markPod(
  { client, clock }: MarkOptions,
  pod: PodObject,
  condition: coreV1.PodCondition | undefined,
  phase = pod.status?.phase,
): Promise<void> {
  const { conditions = [] } = pod.status ?? {};
  const old = conditions.find(({ type }) => type === condition?.type);
  const isMarked =
    condition === undefined ||
    (old?.status === condition.status && old.reason === condition.reason && old.message === condition.message);
  if (isMarked && pod.status?.phase === phase) return;
  const now = formatTime(clock.now());
  const lastTransitionTime = old?.status === condition?.status ? old?.lastTransitionTime : now;
  const marked = condition && { ...condition, lastTransitionTime: lastTransitionTime ?? now };
  const changed =
    marked === undefined ? conditions : [...conditions.filter(({ type }) => type !== marked.type), marked];
  await client
    .resource(Pod)
    .namespace(pod.metadata.namespace ?? '')
    .updateStatus({
      ...pod,
      status: { ...pod.status, ...(phase === undefined ? {} : { phase }), conditions: changed },
    });
}
