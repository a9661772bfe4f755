/**
 * Which pods a node agent refuses to run: those that a client has given a node that they do not fit.
 *
 * @see release 1.31, `pkg/kubelet/lifecycle/predicate.go` for the rules and their words
 * @module
 */
import { NodeRules } from '../../controllers/index.js';
import type { Dialect } from '../../foundation/index.js';
import type { NodeState } from '../nodes/cluster-state.js';
import { hostPortsOf } from '../nodes/host-ports.js';
import type { SimulatedPod } from '../objects.js';
import { pieces, podRequests, shownAmount } from '../scheduling/requests.js';
import { isCritical, type Lack } from './critical-pods.js';

/** Why a pod is refused. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** Returns why a node refuses a pod; or what it lacks for a critical pod, for which others make room. */
export type Obstacle = Rejection | { readonly lacks: readonly Lack[] };

/**
 * Returns what keeps a node from running a pod; undefined when nothing does.
 *
 * @param state the node with the pods that it has accepted
 */
export function obstacleOf(pod: SimulatedPod, state: NodeState, dialect: Dialect): Obstacle | undefined {
  const { labelDomain } = dialect;
  const { spec = { containers: [] } } = pod;
  const os = state.node.metadata.labels?.[`${labelDomain}/os`];
  const wantedOs = spec.nodeSelector?.[`${labelDomain}/os`];
  if (wantedOs !== undefined && os !== undefined && wantedOs !== os)
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: `Failed to admit pod as the \`${labelDomain}/os\` label doesn't match node label`,
    };
  if (spec.os?.name !== undefined && os !== undefined && spec.os.name !== os)
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
  const shortages = shortagesOf(pod, state);
  const [first] = shortages;
  if (first === undefined) return failedPredicate(pod, state);
  // Nothing but what others can free is a reason to make them go.
  if (!isCritical(pod, dialect)) return outOf(first);
  const lacks = shortages.map(({ name, requested, used, capacity }) => ({ name, amount: requested + used - capacity }));
  return failedPredicate(pod, state) ?? { lacks };
}

/** A resource of which a node has too little for a pod. */
interface Shortage {
  readonly name: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

function shortagesOf(pod: SimulatedPod, { allocatable, on }: NodeState): Shortage[] {
  const requests = podRequests(pod.spec ?? { containers: [] });
  const names = new Set(['cpu', 'memory', 'ephemeral-storage', ...requests.keys()]);
  const shortages: Shortage[] = [];
  const room = allocatable.get('pods') ?? 0;
  if (pieces(on.pods.size + 1) > room)
    shortages.push({ name: 'pods', requested: pieces(1), used: pieces(on.pods.size), capacity: room });
  for (const name of names) {
    const amount = requests.get(name) ?? 0;
    const [used, capacity] = [on.requested.get(name) ?? 0, allocatable.get(name)];
    // A node runs pods that ask for extended resources that it does not know.
    if (capacity !== undefined && amount > 0 && amount > capacity - used)
      shortages.push({ name, requested: amount, used, capacity });
  }
  return shortages;
}

function outOf({ name, requested, used, capacity }: Shortage): Rejection {
  const [wanted, taken, all] = [requested, used, capacity].map((amount) => shownAmount(name, amount));
  return {
    reason: `OutOf${name}`,
    message: `Node didn't have enough resource: ${name}, requested: ${wanted}, used: ${taken}, capacity: ${all}`,
  };
}

function failedPredicate(pod: SimulatedPod, { node, on }: NodeState): Rejection | undefined {
  const rules = new NodeRules(pod.spec ?? { containers: [] });
  if (!rules.selects(node)) return failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  if (hostPortsOf(pod).some((port) => on.hostPorts.isTaken(port)))
    return failed('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  if (rules.untolerated(node, ['NoExecute']) !== undefined)
    return failed('TaintToleration', "node(s) had taints that the pod didn't tolerate");
  return undefined;
}

const failed = (predicate: string, why: string): Rejection => ({
  reason: predicate,
  message: `Predicate ${predicate} failed: ${why}`,
});
