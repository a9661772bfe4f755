import type { Client } from '../../client/index.js';
import { formatTime, parseTime } from '../../foundation/index.js';
import { Pod } from '../../kinds/index.js';
import type { ControllerHost } from '../runtime/controller-host.js';
import type { Controller } from '../runtime/controller.js';
import { isNotFound, retryingConflicts } from '../runtime/failures.js';
import { reconciler } from '../runtime/reconciler.js';
import type { PodObject } from '../workloads/shared/kinds.js';
import { hasEnded, isTerminating } from '../workloads/shared/pod-state.js';

/** Time after which a pod that was not deleted is no longer the target of a disruption, in milliseconds. */
const STALE_AFTER_MS = 120_000;

const TARGET = 'DisruptionTarget';
/** The node agent sets the condition long before it deletes the pod. */
const BY_NODE_AGENT = 'TerminationByKubelet';

/** Returns when the condition of a pod becomes stale, in milliseconds since the epoch; undefined when it cannot. */
function staleFrom(pod: PodObject): number | undefined {
  const condition = pod.status?.conditions?.find(({ type }) => type === TARGET);
  if (condition?.status !== 'True' || condition.reason === BY_NODE_AGENT) return undefined;
  if (isTerminating(pod) || hasEnded(pod)) return undefined;
  return (parseTime(condition.lastTransitionTime ?? '') ?? 0) + STALE_AFTER_MS;
}

/** Resets the condition of pods that were targets of a disruption, but were not deleted. */
export function staleTargets(host: ControllerHost): Controller {
  const { client, clock } = host;
  return reconciler(host, {
    name: 'disruption',
    queue: 'stale_pod_disruption',
    kind: Pod,
    runsOn(pod) {
      const from = staleFrom(pod);
      return from !== undefined && Math.max(0, from - clock.now());
    },
    async reconcile(pod, run) {
      const from = staleFrom(pod);
      if (from === undefined) return;
      const leftMs = from - clock.now();
      if (leftMs > 0) {
        run.requeueAfter(leftMs);
        return;
      }
      return retryingConflicts(reset(client, pod, formatTime(clock.now())), isNotFound);
    },
  });
}

async function reset(client: Client, pod: PodObject, lastTransitionTime: string): Promise<void> {
  const conditions = (pod.status?.conditions ?? []).map((condition) =>
    condition.type === TARGET ? { type: TARGET, status: 'False', lastTransitionTime } : condition,
  );
  await client
    .resource(Pod)
    .namespace(pod.metadata.namespace ?? '')
    .updateStatus({ ...pod, status: { ...pod.status, conditions } });
}
