/**
 * Rules about a pod and the other pods in its topology domain: affinity, anti-affinity and spread.
 *
 * @module
 */
import { least, ownMember, type Steps, type Work } from '../../foundation/index.js';
import type { coreV1 } from '../../kinds/index.js';
import { LabelSelector } from '../../machinery/index.js';
import type { NodeState } from '../nodes/cluster-state.js';
import type { SimulatedPod } from '../objects.js';
import type { PendingPod } from './pending-pod.js';
import type { KnownTerms, NamespaceLabels, TermPods } from './term-pods.js';

/** The facts besides the nodes that the rules about other pods depend on. */
export interface TopologyContext {
  readonly namespaceLabels: NamespaceLabels;
  readonly terms: KnownTerms;
}

/** A rule that a node may break. */
export interface NodeCheck {
  /** Returns the units of work to check a node; about. */
  unitsFor(state: NodeState): number;
  /** Returns why a node does not suit the pod; undefined when it does. */
  problemOf(state: NodeState): string | undefined;
}

/** Units of work to look at a node. */
const NODE_UNITS = 4;

const domainOf = ({ node }: NodeState, key: string): string | undefined => ownMember(node.metadata.labels ?? {}, key);

/** Returns the domains of the topology key of a term in which a pod of the term runs. */
function* domainsWith(
  nodes: readonly NodeState[],
  term: TermPods,
  { namespaceLabels }: TopologyContext,
  work: Work,
): Steps<Set<string>> {
  const domains = new Set<string>();
  for (const state of nodes) {
    if (work.spend(NODE_UNITS)) yield;
    const domain = domainOf(state, term.topologyKey);
    if (domain === undefined || domains.has(domain)) continue;
    for (const { pod } of state.on.pods.values()) {
      if (work.spend(term.units)) yield;
      if (!term.includes(pod, namespaceLabels)) continue;
      domains.add(domain);
      break;
    }
  }
  return domains;
}

/** Returns the check of a pod's own affinity and anti-affinity; undefined when it has none. */
export function* affinityCheck(
  { pod }: PendingPod,
  nodes: readonly NodeState[],
  context: TopologyContext,
  work: Work,
): Steps<NodeCheck | undefined> {
  const terms = yield* context.terms.of(pod, work);
  const count = terms.wanted.length + terms.avoided.length;
  if (count === 0) return undefined;
  const wanted: { readonly key: string; readonly domains: ReadonlySet<string>; readonly anywhere: boolean }[] = [];
  for (const term of terms.wanted) {
    const domains = yield* domainsWith(nodes, term, context, work);
    // The first pod of a group that is to run together may run anywhere.
    const anywhere = domains.size === 0 && term.includes(pod, context.namespaceLabels);
    wanted.push({ key: term.topologyKey, domains, anywhere });
  }
  const avoided: { readonly key: string; readonly domains: ReadonlySet<string> }[] = [];
  for (const term of terms.avoided)
    avoided.push({ key: term.topologyKey, domains: yield* domainsWith(nodes, term, context, work) });
  return {
    unitsFor: () => count,
    problemOf(state) {
      for (const { key, domains, anywhere } of wanted) {
        const domain = domainOf(state, key);
        if (domain === undefined || !(anywhere || domains.has(domain)))
          return "node(s) didn't match pod affinity rules";
      }
      for (const { key, domains } of avoided) {
        const domain = domainOf(state, key);
        if (domain !== undefined && domains.has(domain)) return "node(s) didn't match pod anti-affinity rules";
      }
      return undefined;
    },
  };
}

/** Returns the check of the anti-affinity that pods on the nodes have to a new one; undefined when none has any. */
export function* existingAntiAffinityCheck(
  { pod }: PendingPod,
  nodes: readonly NodeState[],
  { terms, namespaceLabels }: TopologyContext,
  work: Work,
): Steps<NodeCheck | undefined> {
  /** The domains to avoid, by their topology key. */
  const avoided = new Map<string, Set<string>>();
  for (const state of nodes) {
    if (work.spend(NODE_UNITS)) yield;
    for (const other of state.on.avoiding.values())
      for (const term of (yield* terms.of(other, work)).avoided) {
        if (work.spend(term.units)) yield;
        const domain = domainOf(state, term.topologyKey);
        if (domain === undefined || !term.includes(pod, namespaceLabels)) continue;
        const domains = avoided.get(term.topologyKey) ?? new Set<string>();
        avoided.set(term.topologyKey, domains.add(domain));
      }
  }
  if (avoided.size === 0) return undefined;
  return {
    unitsFor: () => avoided.size,
    problemOf(state) {
      for (const [key, domains] of avoided) {
        const domain = domainOf(state, key);
        if (domain !== undefined && domains.has(domain))
          return "node(s) didn't satisfy existing pods anti-affinity rules";
      }
      return undefined;
    },
  };
}

/** Returns the check of the spread constraints that forbid nodes; undefined when the pod has none. */
export function* spreadCheck(
  pending: PendingPod,
  nodes: readonly NodeState[],
  work: Work,
): Steps<NodeCheck | undefined> {
  const checks: ((state: NodeState) => string | undefined)[] = [];
  for (const constraint of pending.spec.topologySpreadConstraints ?? [])
    if (constraint.whenUnsatisfiable === 'DoNotSchedule')
      checks.push(yield* constraintCheck(pending, constraint, nodes, work));
  if (checks.length === 0) return undefined;
  return {
    unitsFor: () => checks.length,
    problemOf(state) {
      for (const check of checks) {
        const problem = check(state);
        if (problem !== undefined) return problem;
      }
      return undefined;
    },
  };
}

function* constraintCheck(
  pending: PendingPod,
  constraint: coreV1.TopologySpreadConstraint,
  nodes: readonly NodeState[],
  work: Work,
): Steps<(state: NodeState) => string | undefined> {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint;
  const counted = yield* CountedPods.of(pending.pod, constraint, work);
  const counts = new Map<string, number>();
  for (const state of nodes) {
    if (work.spend(NODE_UNITS + pending.rules.unitsFor(state.node))) yield;
    const domain = domainOf(state, topologyKey);
    if (domain === undefined || !isEligible(pending, constraint, state)) continue;
    let count = counts.get(domain) ?? 0;
    for (const { pod } of state.on.pods.values()) {
      if (work.spend(counted.units)) yield;
      if (counted.includes(pod)) count += 1;
    }
    counts.set(domain, count);
  }
  const fewest = counts.size < minDomains ? 0 : least(counts.values());
  const self = counted.includes(pending.pod) ? 1 : 0;
  return (state) => {
    const domain = domainOf(state, topologyKey);
    if (domain === undefined) return "node(s) didn't match pod topology spread constraints (missing required label)";
    const skew = (counts.get(domain) ?? 0) + self - fewest;
    return skew > maxSkew ? "node(s) didn't match pod topology spread constraints" : undefined;
  };
}

/** The pods that count for a constraint of a pod. */
class CountedPods {
  /** Units of work to compare a pod; about. */
  readonly units: number;
  readonly #namespace: string | undefined;
  readonly #selector: LabelSelector;
  readonly #labels: LabelSelector;

  private constructor(namespace: string | undefined, selector: LabelSelector, labels: LabelSelector) {
    this.#namespace = namespace;
    this.#selector = selector;
    this.#labels = labels;
    this.units = 2 + selector.requirements.length + labels.requirements.length;
  }

  static *of(
    { metadata: { namespace, labels = {} } }: SimulatedPod,
    { labelSelector, matchLabelKeys = [] }: coreV1.TopologySpreadConstraint,
    work: Work,
  ): Steps<CountedPods> {
    const same: Record<string, string> = {};
    for (const key of matchLabelKeys) {
      const value = ownMember(labels, key);
      if (value !== undefined) same[key] = value;
    }
    const selector = yield* LabelSelector.fromObjectSteps(labelSelector, work);
    return new CountedPods(namespace, selector, yield* LabelSelector.fromLabelsSteps(same, work));
  }

  includes({ metadata: { namespace, labels, deletionTimestamp } }: SimulatedPod): boolean {
    return (
      namespace === this.#namespace &&
      deletionTimestamp === undefined &&
      this.#selector.matches(labels) &&
      this.#labels.matches(labels)
    );
  }
}

/** Returns whether a node counts for a constraint. */
function isEligible({ rules }: PendingPod, constraint: coreV1.TopologySpreadConstraint, { node }: NodeState): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint;
  if (nodeAffinityPolicy === 'Honor' && !rules.selects(node)) return false;
  return nodeTaintsPolicy !== 'Honor' || rules.untolerated(node, ['NoSchedule', 'NoExecute']) === undefined;
}
