import type { Steps, Work } from '../../../foundation/index.js';
import { isAvailable, isReady } from '../shared/pod-state.js';
import type { NodeDecision } from './daemon-pod.js';
import { isUpToDate, seniorOf, type NodeContext, type NodePods } from './node-pods.js';
import type { DaemonSetStatus } from './types.js';

/** Units of work to look at a node. */
const NODE_UNITS = 8;

/**
 * Returns the status of a daemon set, in steps.
 *
 * @param decisions by the name of the node, for all nodes
 */
export function* daemonStatus(
  { set, hash, nowMs }: NodeContext,
  decisions: ReadonlyMap<string, NodeDecision>,
  pods: NodePods,
  work: Work,
): Steps<DaemonSetStatus> {
  let [desired, current, misscheduled, ready, updated, available] = [0, 0, 0, 0, 0, 0];
  for (const [node, { run }] of decisions) {
    if (work.spend(NODE_UNITS)) yield;
    const senior = yield* seniorOf(pods.get(node) ?? [], work);
    if (run) desired += 1;
    if (senior === undefined) continue;
    if (!run) {
      misscheduled += 1;
      continue;
    }
    current += 1;
    if (isReady(senior)) ready += 1;
    if (isUpToDate(senior, hash)) updated += 1;
    if (isAvailable(senior, set.spec?.minReadySeconds ?? 0, nowMs)) available += 1;
  }
  return {
    ...set.status,
    desiredNumberScheduled: desired,
    currentNumberScheduled: current,
    numberMisscheduled: misscheduled,
    numberReady: ready,
    updatedNumberScheduled: updated,
    numberAvailable: available,
    numberUnavailable: desired - available,
    observedGeneration: set.metadata.generation,
  };
}
