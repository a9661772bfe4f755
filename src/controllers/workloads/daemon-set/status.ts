import type { PodObject } from '../shared/kinds.js';
import { isAvailable, isReady } from '../shared/pod-state.js';
import { bySeniority, isUpToDate, type NodePods } from './node-pods.js';
import type { DaemonSetObject, DaemonSetStatus } from './types.js';

/**
 * Returns the status of a daemon set.
 *
 * @param wanted names of all nodes, with whether each should have a pod
 */
export function daemonStatus(
  set: DaemonSetObject,
  wanted: ReadonlyMap<string, boolean>,
  pods: NodePods,
  hash: string,
  nowMs: number,
): DaemonSetStatus {
  const nodes = [...wanted];
  const scheduled = (node: string): boolean => (pods.get(node)?.length ?? 0) > 0;
  const desired = nodes.filter(([, run]) => run).map(([node]) => node);
  const seniors = desired
    .map((node) => [...(pods.get(node) ?? [])].sort(bySeniority)[0])
    .filter((pod) => pod !== undefined);
  const count = (counts: (pod: PodObject) => boolean): number => seniors.filter(counts).length;
  const available = count((pod) => isAvailable(pod, set.spec?.minReadySeconds ?? 0, nowMs));
  return {
    ...set.status,
    desiredNumberScheduled: desired.length,
    currentNumberScheduled: seniors.length,
    numberMisscheduled: nodes.filter(([node, run]) => !run && scheduled(node)).length,
    numberReady: count(isReady),
    updatedNumberScheduled: count((pod) => isUpToDate(pod, hash)),
    numberAvailable: available,
    numberUnavailable: desired.length - available,
    observedGeneration: set.metadata.generation,
  };
}
