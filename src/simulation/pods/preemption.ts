/**
 * Which pods make room for one of higher priority.
 *
 * @see release 1.31, `pkg/scheduler/framework/plugins/defaultpreemption` and `pkg/scheduler/framework/preemption`
 * @module
 */
import { parseTime, shareTurn } from '../../foundation/index.js';
import type { PodDisruptionBudget } from '../../kinds/index.js';
import { LabelSelector } from '../../machinery/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { nodeStateOf, type NodeState, type PlacedPod } from '../nodes/cluster-state.js';
import type { SimulatedPod } from '../objects.js';
import {
  nodeCheck,
  NOT_HELPFUL,
  NO_VICTIMS,
  PREEMPTABLE,
  type NodeProblem,
  type PlacementContext,
} from '../scheduling/fit.js';

type Budget = ObjectOf<typeof PodDisruptionBudget>;

/** A node, and the pods that leave it. */
export interface Preemption {
  readonly nodeName: string;
  /** The most important first. */
  readonly victims: readonly SimulatedPod[];
}

/** Where pods make room, or why that helps on no node, one reason for each. */
export type PreemptionResult = Preemption | { readonly hopes: readonly string[] };

interface Candidate extends Preemption {
  /** Number of victims whose disruption a budget does not allow. */
  readonly violations: number;
}

/** Returns the priority of a pod. */
export const priorityOf = ({ spec }: SimulatedPod): number => spec?.priority ?? 0;

/**
 * Finds the node on which the least important pods make room for a pod.
 *
 * @param nodes all nodes
 * @param problems why the pod fits none of them
 * @param budgets the disruption budgets of the pods; they are respected as far as possible
 */
export async function findPreemption(
  pod: SimulatedPod,
  nodes: readonly NodeState[],
  problems: readonly NodeProblem[],
  context: PlacementContext & { readonly budgets: readonly Budget[]; readonly nowMs: number },
): Promise<PreemptionResult> {
  const hopes: string[] = [];
  let best: Candidate | undefined;
  for (const { state, problem } of problems) {
    const turn = shareTurn();
    if (turn !== undefined) await turn;
    const found = PREEMPTABLE.test(problem) ? candidateOn(pod, state, nodes, context) : NOT_HELPFUL;
    if (typeof found === 'string') hopes.push(found);
    else if (best === undefined || isBetter(found, best, context.nowMs)) best = found;
  }
  return best ?? { hopes };
}

/** Returns the victims on a node; or why their removal does not help. */
function candidateOn(
  pod: SimulatedPod,
  state: NodeState,
  nodes: readonly NodeState[],
  context: PlacementContext & { readonly budgets: readonly Budget[]; readonly nowMs: number },
): Candidate | string {
  const lower = [...state.pods.values()].filter((placed) => priorityOf(placed.pod) < priorityOf(pod));
  if (lower.length === 0) return NO_VICTIMS;
  const kept = new Set([...state.pods.values()].filter((placed) => !lower.includes(placed)));
  const problem = (): string | undefined => {
    const reduced = nodeStateOf(state, kept);
    return nodeCheck(
      pod,
      nodes.map((other) => (other === state ? reduced : other)),
      context,
    )(reduced);
  };
  const hopeless = problem();
  if (hopeless !== undefined) return hopeless;
  const victims: PlacedPod[] = [];
  let violations = 0;
  const ranked = lower.sort((a, b) => byImportance(a.pod, b.pod, context.nowMs));
  const [violating, others] = byBudgets(ranked, context.budgets);
  // As many as possible stay: those that budgets protect first.
  for (const placed of [...violating, ...others]) {
    kept.add(placed);
    if (problem() === undefined) continue;
    kept.delete(placed);
    victims.push(placed);
    if (violating.includes(placed)) violations += 1;
  }
  const chosen = victims.map((placed) => placed.pod).sort((a, b) => byImportance(a, b, context.nowMs));
  return { nodeName: state.node.metadata.name ?? '', victims: chosen, violations };
}

const startOf = ({ status }: SimulatedPod, nowMs: number): number => parseTime(status?.startTime ?? '') ?? nowMs;

/** The more important pod first: that of higher priority, or else that which has run longer. */
const byImportance = (a: SimulatedPod, b: SimulatedPod, nowMs: number): number =>
  priorityOf(b) - priorityOf(a) || startOf(a, nowMs) - startOf(b, nowMs);

/** Divides pods into those whose disruption a budget does not allow, and the others. */
function byBudgets(ranked: readonly PlacedPod[], budgets: readonly Budget[]): [PlacedPod[], PlacedPod[]] {
  const left = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const violating: PlacedPod[] = [];
  const others: PlacedPod[] = [];
  for (const placed of ranked) {
    let violates = false;
    for (const budget of budgets) {
      if (!protects(budget, placed.pod)) continue;
      const allowed = (left.get(budget) ?? 0) - 1;
      left.set(budget, allowed);
      if (allowed < 0) violates = true;
    }
    (violates ? violating : others).push(placed);
  }
  return [violating, others];
}

/** Returns whether a budget counts a pod that is not disrupted already. */
function protects({ metadata, spec, status }: Budget, { metadata: pod }: SimulatedPod): boolean {
  if (metadata.namespace !== pod.namespace || Object.keys(pod.labels ?? {}).length === 0) return false;
  const { matchLabels = {}, matchExpressions = [] } = spec?.selector ?? {};
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return false;
  if (Object.hasOwn(status?.disruptedPods ?? {}, pod.name ?? '')) return false;
  return LabelSelector.fromObject(spec?.selector).matches(pod.labels);
}

/** Returns whether one candidate disturbs less than another; the first difference decides. */
function isBetter(one: Candidate, other: Candidate, nowMs: number): boolean {
  for (const measure of MEASURES) {
    const difference = measure(one, nowMs) - measure(other, nowMs);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** So that priorities below zero count as victims, too. */
const PRIORITY_OFFSET = 2 ** 31;

/** The cost of a preemption; the less the better. */
const MEASURES: readonly ((candidate: Candidate, nowMs: number) => number)[] = [
  ({ violations }) => violations,
  ({ victims: [first] }) => (first === undefined ? -Infinity : priorityOf(first)),
  ({ victims }) => victims.reduce((sum, victim) => sum + priorityOf(victim) + PRIORITY_OFFSET, 0),
  ({ victims }) => victims.length,
  // The earliest start among the victims of the highest priority: the latest is best.
  ({ victims: [first] }, nowMs) => (first === undefined ? 0 : -startOf(first, nowMs)),
];
