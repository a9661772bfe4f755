/**
 * Which node a pod fits.
 *
 * @see release 1.31, `pkg/scheduler/framework/plugins` for the rules and their words
 * @module
 */
import type { coreV1 } from '../../kinds/index.js';
import type { Dialect, Steps, Work } from '../../foundation/index.js';
import type { NodeState } from '../nodes/cluster-state.js';
import type { PendingPod } from './pending-pod.js';
import { pieces, type Amounts } from './requests.js';
import {
  affinityCheck,
  existingAntiAffinityCheck,
  spreadCheck,
  type NodeCheck,
  type TopologyContext,
} from './topology.js';

/** Why a pod does not fit a node. */
export interface NodeProblem {
  readonly state: NodeState;
  readonly problem: string;
}

/** The node for a pod, or why it fits none. */
export type Placement = { readonly nodeName: string } | { readonly problems: readonly NodeProblem[] };

/** The facts that the choice of a node depends on besides the nodes. */
export interface PlacementContext extends TopologyContext {
  readonly dialect: Dialect;
}

/** Reasons for which it could help to remove other pods. */
export const PREEMPTABLE =
  /^(Insufficient |Too many pods|node\(s\) didn't have free ports|node\(s\) didn't match pod (anti-affinity rules|topology spread constraints$)|node\(s\) didn't satisfy existing)/;

/**
 * Chooses the node of a pod: the least used one of those that fit and that it prefers most. Pods that come and go
 * meanwhile may or may not count.
 */
export function* placePod(
  pending: PendingPod,
  nodes: readonly NodeState[],
  context: PlacementContext,
  work: Work,
): Steps<Placement> {
  const check = yield* nodeCheck(pending, nodes, context, work);
  const problems: NodeProblem[] = [];
  let best: { readonly state: NodeState; readonly score: number } | undefined;
  for (const state of nodes) {
    if (work.spend(check.unitsFor(state))) yield;
    const problem = check.problemOf(state);
    if (problem !== undefined) {
      problems.push({ state, problem });
      continue;
    }
    if (work.spend(pending.rules.unitsFor(state.node))) yield;
    const score = scoreOf(pending, state);
    if (best === undefined || score > best.score) best = { state, score };
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
export function* nodeCheck(
  pending: PendingPod,
  nodes: readonly NodeState[],
  context: PlacementContext,
  work: Work,
): Steps<NodeCheck> {
  const checks = [
    ownCheck(pending, context),
    yield* spreadCheck(pending, nodes, work),
    yield* affinityCheck(pending, nodes, context, work),
    yield* existingAntiAffinityCheck(pending, nodes, context, work),
  ].filter((check) => check !== undefined);
  return {
    unitsFor(state) {
      let units = 0;
      for (const check of checks) units += check.unitsFor(state);
      return units;
    },
    problemOf(state) {
      for (const check of checks) {
        const problem = check.problemOf(state);
        if (problem !== undefined) return problem;
      }
      return undefined;
    },
  };
}

/** Returns the check of the rules that are about the pod and the node alone. */
function ownCheck({ rules, requests, ports }: PendingPod, { dialect }: PlacementContext): NodeCheck {
  const unschedulable: coreV1.Taint = { key: `node.${dialect.labelDomain}/unschedulable`, effect: 'NoSchedule' };
  return {
    unitsFor: ({ node }) => rules.unitsFor(node) + requests.size + 2 * ports.length,
    problemOf(state) {
      const { node, on } = state;
      if (node.spec?.unschedulable === true && !rules.tolerates(unschedulable)) return 'node(s) were unschedulable';
      const taint = rules.untolerated(node, ['NoSchedule', 'NoExecute']);
      if (taint !== undefined) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
      if (!rules.selects(node)) return "node(s) didn't match Pod's node affinity/selector";
      if (ports.some((port) => on.hostPorts.isTaken(port)))
        return "node(s) didn't have free ports for the requested pod ports";
      return resourceProblem(requests, state);
    },
  };
}

function resourceProblem(requests: Amounts, { allocatable, on }: NodeState): string | undefined {
  if (pieces(on.pods.size + 1) > (allocatable.get('pods') ?? 0)) return 'Too many pods';
  for (const [name, amount] of requests)
    if (amount > 0 && amount > (allocatable.get(name) ?? 0) - (on.requested.get(name) ?? 0))
      return `Insufficient ${name}`;
  return undefined;
}

/** Preferences of the pod come first, then the share of the node that is free. */
function scoreOf({ rules }: PendingPod, { node, allocatable, on }: NodeState): number {
  const avoided = rules.untolerated(node, ['PreferNoSchedule']) === undefined ? 0 : 100;
  const free = (name: string, used: number): number => 1 - used / Math.max(allocatable.get(name) ?? 0, 1);
  const shares = [
    free('pods', pieces(on.pods.size)),
    free('cpu', on.requested.get('cpu') ?? 0),
    free('memory', on.requested.get('memory') ?? 0),
  ];
  return rules.preference(node) - avoided + shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
