/**
 * Which pods make room for one of higher priority.
 *
 * @see release 1.31, `pkg/scheduler/framework/plugins/defaultpreemption` and `pkg/scheduler/framework/preemption`
 * @module
 */
import { objectKey } from '../../controllers/index.js';
import { appendTo, parseTime, sortedSteps, type Steps, type Work } from '../../foundation/index.js';
import type { PodDisruptionBudget } from '../../kinds/index.js';
import { anchorOf, anchorsOf, LabelSelector } from '../../machinery/index.js';
import type { ObjectOf } from '../../registry/index.js';
import type { NodeState } from '../nodes/cluster-state.js';
import { PodsOnNode, type PlacedPod } from '../nodes/pods-on-node.js';
import type { SimulatedPod } from '../objects.js';
import {
  nodeCheck,
  NOT_HELPFUL,
  NO_VICTIMS,
  PREEMPTABLE,
  type NodeProblem,
  type PlacementContext,
} from '../scheduling/fit.js';
import type { PendingPod } from '../scheduling/pending-pod.js';

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

/** The facts that a preemption depends on besides the nodes. */
export interface PreemptionContext extends PlacementContext {
  /** The disruption budgets of the pods; they are respected as far as possible. */
  readonly budgets: readonly Budget[];
  readonly nowMs: number;
}

/**
 * Finds the node on which the least important pods make room for a pod.
 *
 * @param nodes all nodes
 * @param problems why the pod fits none of them
 */
export function* findPreemption(
  pending: PendingPod,
  nodes: readonly NodeState[],
  problems: readonly NodeProblem[],
  context: PreemptionContext,
  work: Work,
): Steps<PreemptionResult> {
  const guards = yield* guardsOf(context.budgets, work);
  const hopes: string[] = [];
  let best: Candidate | undefined;
  for (const { state, problem } of problems) {
    if (work.spend(NODE_UNITS)) yield;
    const found = PREEMPTABLE.test(problem)
      ? yield* candidateOn({ pending, nodes, context, guards, work }, state)
      : NOT_HELPFUL;
    if (typeof found === 'string') hopes.push(found);
    else if (best === undefined || isBetter(found, best, context.nowMs)) best = found;
  }
  return best ?? { hopes };
}

/** Units of work to look at a pod or a node. */
const POD_UNITS = 4;
const NODE_UNITS = 4;

/** The facts that the victims on a node depend on. */
interface Search {
  readonly pending: PendingPod;
  readonly nodes: readonly NodeState[];
  readonly context: PreemptionContext;
  readonly guards: Guards;
  readonly work: Work;
}

/** Returns the victims on a node; or why their removal does not help. */
function* candidateOn({ pending, nodes, context, guards, work }: Search, state: NodeState): Steps<Candidate | string> {
  const lower: PlacedPod[] = [];
  const kept = new PodsOnNode();
  for (const placed of state.on.pods.values()) {
    if (work.spend(POD_UNITS)) yield;
    if (priorityOf(placed.pod) < priorityOf(pending.pod)) lower.push(placed);
    else kept.add(placed);
  }
  if (lower.length === 0) return NO_VICTIMS;
  const reduced: NodeState = { ...state, on: kept };
  if (work.spend(nodes.length)) yield;
  const others = nodes.map((other) => (other === state ? reduced : other));
  const problem = function* (): Steps<string | undefined> {
    const check = yield* nodeCheck(pending, others, context, work);
    if (work.spend(check.unitsFor(reduced))) yield;
    return check.problemOf(reduced);
  };
  const hopeless = yield* problem();
  if (hopeless !== undefined) return hopeless;
  const victims: PlacedPod[] = [];
  let violations = 0;
  const ranked = yield* sortedSteps(lower, byImportance(context.nowMs), work);
  const [violating, harmless] = yield* byBudgets(ranked, guards, work);
  // As many as possible stay: those that budgets protect first.
  for (const placed of [...violating, ...harmless]) {
    kept.add(placed);
    if ((yield* problem()) === undefined) continue;
    kept.remove(objectKey(placed.pod));
    victims.push(placed);
    if (violating.has(placed)) violations += 1;
  }
  const chosen = (yield* sortedSteps(victims, byImportance(context.nowMs), work)).map(({ pod }) => pod);
  return { nodeName: state.node.metadata.name ?? '', victims: chosen, violations };
}

const startOf = ({ status }: SimulatedPod, nowMs: number): number => parseTime(status?.startTime ?? '') ?? nowMs;

/** The more important pod first: that of higher priority, or else that which has run longer. */
const byImportance =
  (nowMs: number) =>
  ({ pod: a }: PlacedPod, { pod: b }: PlacedPod): number =>
    priorityOf(b) - priorityOf(a) || startOf(a, nowMs) - startOf(b, nowMs);

/** A budget that protects pods, and its selector. */
interface Guard {
  readonly budget: Budget;
  readonly selector: LabelSelector;
}

/** The budgets that protect pods, by their namespace and the anchor of their selector. */
type Guards = ReadonlyMap<string, readonly Guard[]>;

/** Returns the budgets that select pods. */
function* guardsOf(budgets: readonly Budget[], work: Work): Steps<Guards> {
  const guards = new Map<string, Guard[]>();
  for (const budget of budgets) {
    if (work.spend(POD_UNITS)) yield;
    const selector = yield* LabelSelector.fromObjectSteps(budget.spec?.selector, work);
    const key = guardKey(budget.metadata.namespace, anchorOf(selector));
    if (selector.requirements.length > 0) appendTo(guards, key, { budget, selector });
  }
  return guards;
}

/** Returns the key of an anchor in a namespace, after a space, which no namespace contains. */
const guardKey = (namespace = '', anchor: string): string => `${namespace} ${anchor}`;

/** Divides pods into those whose disruption a budget does not allow, and the others. */
function* byBudgets(
  ranked: readonly PlacedPod[],
  guards: Guards,
  work: Work,
): Steps<[violating: Set<PlacedPod>, others: Set<PlacedPod>]> {
  const left = new Map<Guard, number>();
  const violating = new Set<PlacedPod>();
  const others = new Set<PlacedPod>();
  for (const placed of ranked) {
    let violates = false;
    const { namespace, labels } = placed.pod.metadata;
    for (const anchor of anchorsOf(labels)) {
      if (work.spend(1)) yield;
      for (const guard of guards.get(guardKey(namespace, anchor)) ?? []) {
        if (work.spend(POD_UNITS + guard.selector.requirements.length)) yield;
        if (!protects(guard, placed.pod)) continue;
        const allowed = (left.get(guard) ?? guard.budget.status?.disruptionsAllowed ?? 0) - 1;
        left.set(guard, allowed);
        if (allowed < 0) violates = true;
      }
    }
    (violates ? violating : others).add(placed);
  }
  return [violating, others];
}

/** Returns whether a budget counts a pod of its namespace that is not disrupted already. */
function protects(
  { budget: { status }, selector }: Guard,
  { metadata: { name = '', labels = {} } }: SimulatedPod,
): boolean {
  return (
    Object.keys(labels).length > 0 && !Object.hasOwn(status?.disruptedPods ?? {}, name) && selector.matches(labels)
  );
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
