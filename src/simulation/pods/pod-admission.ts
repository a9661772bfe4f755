/**
 * Which pods a node agent refuses to run: those that a client has given a node that they do not fit.
 *
 * @see release 1.31, `pkg/kubelet/lifecycle/predicate.go` for the rules and their words
 * @module
 */
import { selectsNode, untolerated } from '../../controllers/index.js';
import type { Dialect } from '../../foundation/index.js';
import { hostPortsOf, isTaken, type NodeState } from '../nodes/cluster-state.js';
import type { SimulatedPod } from '../objects.js';
import { pieces, podRequests } from '../scheduling/requests.js';

/** Why a pod is refused. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** Thousandths of a unit in an amount. */
const THOUSANDTHS = 1000;

/**
 * Returns why a node refuses a pod; undefined when it runs it.
 *
 * @param state the node with the pods that it has accepted
 */
export function rejectionOf(pod: SimulatedPod, state: NodeState, { labelDomain }: Dialect): Rejection | undefined {
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
  return insufficientResource(pod, state) ?? failedPredicate(pod, state);
}

function insufficientResource(pod: SimulatedPod, state: NodeState): Rejection | undefined {
  const { allocatable, requested, pods } = state;
  if (pieces(pods.size + 1) > (allocatable.get('pods') ?? 0))
    return outOf('pods', pieces(1), pieces(pods.size), allocatable.get('pods') ?? 0);
  const requests = podRequests(pod.spec ?? { containers: [] });
  for (const name of ['cpu', 'memory', 'ephemeral-storage', ...requests.keys()]) {
    const amount = requests.get(name) ?? 0;
    const [used, capacity] = [requested.get(name) ?? 0, allocatable.get(name)];
    // A node runs pods that ask for extended resources that it does not know.
    if (capacity !== undefined && amount > 0 && amount > capacity - used) return outOf(name, amount, used, capacity);
  }
  return undefined;
}

/** Processors are counted in thousandths, all else in units. */
function outOf(name: string, requested: number, used: number, capacity: number): Rejection {
  const shown = (amount: number): number => (name === 'cpu' ? amount : Math.ceil(amount / THOUSANDTHS));
  return {
    reason: `OutOf${name}`,
    message: `Node didn't have enough resource: ${name}, requested: ${shown(requested)}, used: ${shown(used)}, capacity: ${shown(capacity)}`,
  };
}

function failedPredicate(pod: SimulatedPod, { node, hostPorts }: NodeState): Rejection | undefined {
  const { spec = { containers: [] } } = pod;
  if (!selectsNode(spec, node)) return failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  if (hostPortsOf(pod).some((port) => isTaken(port, hostPorts)))
    return failed('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  if (untolerated(spec, node, ['NoExecute']) !== undefined)
    return failed('TaintToleration', "node(s) had taints that the pod didn't tolerate");
  return undefined;
}

const failed = (predicate: string, why: string): Rejection => ({
  reason: predicate,
  message: `Predicate ${predicate} failed: ${why}`,
});
