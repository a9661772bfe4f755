import type { Client } from '../../client/index.js';
import { formatTime, parseTime, type Clock } from '../../foundation/index.js';
import { Pod } from '../../kinds/index.js';
import { hasReason } from '../runtime/failures.js';
import { objectKey } from '../runtime/informer-cache.js';
import type { Informer } from '../runtime/informer.js';
import { WorkQueue, type WorkResult } from '../runtime/work-queue.js';
import type { PodObject } from '../workloads/shared/kinds.js';
import { hasEnded, isTerminating } from '../workloads/shared/pod-state.js';

/** Time after which a pod that was not deleted is no longer the target of a disruption, in milliseconds. */
const STALE_AFTER_MS = 120_000;

const TARGET = 'DisruptionTarget';
/** The node agent sets the condition long before it deletes the pod. */
const BY_NODE_AGENT = 'TerminationByKubelet';

/** Options of {@link staleTargets}. */
export interface StaleTargetOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly pods: Informer<PodObject>;
  readonly onError: (error: unknown) => void;
}

/** Returns when the condition of a pod becomes stale, in milliseconds since the epoch; undefined when it cannot. */
function staleFrom(pod: PodObject): number | undefined {
  const condition = pod.status?.conditions?.find(({ type }) => type === TARGET);
  if (condition?.status !== 'True' || condition.reason === BY_NODE_AGENT) return undefined;
  if (isTerminating(pod) || hasEnded(pod)) return undefined;
  return (parseTime(condition.lastTransitionTime ?? '') ?? 0) + STALE_AFTER_MS;
}

/** Resets the condition of pods that were targets of a disruption, but were not deleted. */
export function staleTargets({ client, clock, pods, onError }: StaleTargetOptions): {
  readonly queue: WorkQueue<string>;
  readonly examine: (pod: PodObject) => void;
} {
  const queue = new WorkQueue<string>({
    name: 'stale_pod_disruption',
    clock,
    process,
    onError: (_key, error) => onError(error),
  });

  function examine(pod: PodObject): void {
    const from = staleFrom(pod);
    if (from !== undefined) queue.addAfter(objectKey(pod), Math.max(0, from - clock.now()));
  }

  async function process(key: string): Promise<WorkResult> {
    const pod = pods.get(key);
    const from = pod === undefined ? undefined : staleFrom(pod);
    if (pod === undefined || from === undefined) return;
    const leftMs = from - clock.now();
    if (leftMs > 0) {
      queue.addAfter(key, leftMs);
      return;
    }
    const reset = { type: TARGET, status: 'False', lastTransitionTime: formatTime(clock.now()) };
    const conditions = (pod.status?.conditions ?? []).map((condition) =>
      condition.type === TARGET ? reset : condition,
    );
    try {
      await client
        .resource(Pod)
        .namespace(pod.metadata.namespace ?? '')
        .updateStatus({ ...pod, status: { ...pod.status, conditions } });
    } catch (error) {
      if (hasReason(error, 'NotFound')) return;
      if (hasReason(error, 'Conflict')) return 'retry';
      throw error;
    }
  }

  return { queue, examine };
}
