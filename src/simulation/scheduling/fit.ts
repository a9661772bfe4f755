/**
 * Which node a pod fits.
 *
 * @see release 1.31, `pkg/scheduler/framework/plugins` for the rules and their words
 * @module
 */
import { nodePreference, selectsNode, tolerates, untolerated } from '../../controllers/index.js';
import type { Dialect } from '../../foundation/index.js';
import { hostPortsOf, isTaken, type NodeState } from '../nodes/cluster-state.js';
import type { SimulatedPod } from '../objects.js';
import { pieces, podRequests, type Amounts } from './requests.js';
import {
  affinityCheck,
  existingAntiAffinityCheck,
  spreadCheck,
  type NamespaceLabels,
  type NodeCheck,
} from './topology.js';

/** Why a pod does not fit a node. */
export interface NodeProblem {
  readonly state: NodeState;
  readonly problem: string;
}

/** The node for a pod, or why it fits none. */
export type Placement = { readonly nodeName: string } | { readonly problems: readonly NodeProblem[] };

/** The facts that the choice of a node depends on besides the nodes. */
export interface PlacementContext {
  readonly dialect: Dialect;
  readonly namespaceLabels: NamespaceLabels;
}

/** Reasons for which it could help to remove other pods. */
export const PREEMPTABLE =
  /^(Insufficient |Too many pods|node\(s\) didn't have free ports|node\(s\) didn't match pod (anti-affinity rules|topology spread constraints$)|node\(s\) didn't satisfy existing)/;

/** Chooses the node of a pod: the least used one of those that fit and that it prefers most. */
export function placePod(pod: SimulatedPod, nodes: readonly NodeState[], context: PlacementContext): Placement {
  const check = nodeCheck(pod, nodes, context);
  const problems: NodeProblem[] = [];
  let best: { readonly state: NodeState; readonly score: number } | undefined;
  for (const state of nodes) {
    const problem = check(state);
    if (problem !== undefined) problems.push({ state, problem });
    else {
      const score = scoreOf(pod, state);
      if (best === undefined || score > best.score) best = { state, score };
    }
  }
  return best === undefined ? { problems } : { nodeName: best.state.node.metadata.name ?? '' };
}

/** Why nothing is preempted on a node: it would not help, or all its pods are as important. */
export const NOT_HELPFUL = 'Preemption is not helpful for scheduling';
export const NO_VICTIMS = 'No preemption victims found for incoming pod';

/** Returns the message about a pod that fits no node, without what preemption brings. */
export function problemText(problems: readonly NodeProblem[]): string {
  if (problems.length === 0) return 'no nodes available to schedule pods';
  return `${availability(problems.map(({ problem }) => problem))}.`;
}

/** Counts the reasons of all nodes: `0/3 nodes are available: 1 Insufficient cpu, 2 Too many pods`. */
export const availability = (reasons: readonly string[]): string =>
  `0/${reasons.length} nodes are available: ${counted(reasons)}`;

/** Counts equal texts: `1 Insufficient cpu, 2 Too many pods`. */
function counted(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .map(([text, count]) => `${count} ${text}`)
    .sort()
    .join(', ');
}

/** Returns the check of all rules about a pod. The rules about other pods are evaluated once for all nodes. */
export function nodeCheck(
  pod: SimulatedPod,
  nodes: readonly NodeState[],
  { dialect, namespaceLabels }: PlacementContext,
): NodeCheck {
  const requests = podRequests(pod.spec ?? { containers: [] });
  const ports = hostPortsOf(pod);
  const unschedulable = { key: `node.${dialect.labelDomain}/unschedulable`, effect: 'NoSchedule' };
  const checks: readonly (NodeCheck | undefined)[] = [
    (state) => ownRules(pod, state, unschedulable),
    (state) => (ports.some((port) => isTaken(port, state.hostPorts)) ? NO_PORTS : undefined),
    (state) => resourceProblem(requests, state),
    spreadCheck(pod, nodes),
    affinityCheck(pod, nodes, namespaceLabels),
    existingAntiAffinityCheck(pod, nodes, namespaceLabels),
  ];
  const given = checks.filter((check) => check !== undefined);
  return (state) => {
    for (const check of given) {
      const problem = check(state);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

const NO_PORTS = "node(s) didn't have free ports for the requested pod ports";

/** Checks the rules that are about the pod and the node alone. */
function ownRules(
  { spec = { containers: [] } }: SimulatedPod,
  { node }: NodeState,
  unschedulable: { readonly key: string; readonly effect: string },
): string | undefined {
  const isCordoned = node.spec?.unschedulable === true;
  if (isCordoned && !(spec.tolerations ?? []).some((toleration) => tolerates(toleration, unschedulable)))
    return 'node(s) were unschedulable';
  const taint = untolerated(spec, node, ['NoSchedule', 'NoExecute']);
  if (taint !== undefined) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
  return selectsNode(spec, node) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}

function resourceProblem(requests: Amounts, { allocatable, requested, pods }: NodeState): string | undefined {
  if (pieces(pods.size + 1) > (allocatable.get('pods') ?? 0)) return 'Too many pods';
  for (const [name, amount] of requests)
    if (amount > 0 && amount > (allocatable.get(name) ?? 0) - (requested.get(name) ?? 0)) return `Insufficient ${name}`;
  return undefined;
}

/** Preferences of the pod come first, then the share of the node that is free. */
function scoreOf({ spec = { containers: [] } }: SimulatedPod, state: NodeState): number {
  const { node, allocatable, requested, pods } = state;
  const avoided = untolerated(spec, node, ['PreferNoSchedule']) === undefined ? 0 : 100;
  const free = (name: string, used: number): number => 1 - used / Math.max(allocatable.get(name) ?? 0, 1);
  const shares = [
    free('pods', pieces(pods.size)),
    free('cpu', requested.get('cpu') ?? 0),
    free('memory', requested.get('memory') ?? 0),
  ];
  return nodePreference(spec, node) - avoided + shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
