/**
 * Rules about a pod and the other pods in its topology domain: affinity, anti-affinity and spread.
 *
 * @module
 */
import { selectsNode, untolerated } from '../../controllers/index.js';
import { least } from '../../foundation/index.js';
import type { coreV1, LabelSelector as LabelSelectorFields } from '../../kinds/index.js';
import { LabelSelector } from '../../machinery/index.js';
import type { NodeState } from '../nodes/cluster-state.js';
import type { SimulatedPod } from '../objects.js';

/** Returns the labels of a namespace, for the namespace selectors of affinity terms. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>> | undefined;

type Term = coreV1.PodAffinityTerm;
type Pods = (pod: SimulatedPod) => boolean;

const selectorOf = (object: LabelSelectorFields | undefined): LabelSelector => LabelSelector.fromObject(object);

/** Returns the pods that a term of a pod is about. */
function podsOf(term: Term, { metadata }: SimulatedPod, namespaceLabels: NamespaceLabels): Pods {
  const selector = selectorOf(term.labelSelector);
  const { namespaces = [], namespaceSelector } = term;
  const own = namespaces.length === 0 && namespaceSelector === undefined ? [metadata.namespace] : namespaces;
  const chosen = namespaceSelector === undefined ? undefined : selectorOf(namespaceSelector);
  const isIn = (namespace = ''): boolean =>
    own.includes(namespace) || chosen?.matches(namespaceLabels(namespace) ?? {}) === true;
  return (pod) => isIn(pod.metadata.namespace) && selector.matches(pod.metadata.labels);
}

const domainOf = ({ node }: NodeState, key: string): string | undefined => node.metadata.labels?.[key];

/** Returns the domains of a topology key in which a pod of the term runs. */
function domainsWith(nodes: readonly NodeState[], key: string, isMeant: Pods): Set<string> {
  const domains = new Set<string>();
  for (const state of nodes) {
    const domain = domainOf(state, key);
    if (domain === undefined || domains.has(domain)) continue;
    for (const { pod } of state.pods.values())
      if (isMeant(pod)) {
        domains.add(domain);
        break;
      }
  }
  return domains;
}

/** Returns why a node does not suit a pod; undefined when it does. */
export type NodeCheck = (state: NodeState) => string | undefined;

/** Returns the check of a pod's own affinity and anti-affinity; undefined when it has none. */
export function affinityCheck(
  pod: SimulatedPod,
  nodes: readonly NodeState[],
  namespaceLabels: NamespaceLabels,
): NodeCheck | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const wanted = (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => {
    const isMeant = podsOf(term, pod, namespaceLabels);
    const domains = domainsWith(nodes, term.topologyKey, isMeant);
    // The first pod of a group that is to run together may run anywhere.
    return { key: term.topologyKey, domains, anywhere: domains.size === 0 && isMeant(pod) };
  });
  const avoided = (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => ({
    key: term.topologyKey,
    domains: domainsWith(nodes, term.topologyKey, podsOf(term, pod, namespaceLabels)),
  }));
  if (wanted.length + avoided.length === 0) return undefined;
  return (state) => {
    for (const { key, domains, anywhere } of wanted) {
      const domain = domainOf(state, key);
      if (domain === undefined || !(anywhere || domains.has(domain))) return "node(s) didn't match pod affinity rules";
    }
    for (const { key, domains } of avoided) {
      const domain = domainOf(state, key);
      if (domain !== undefined && domains.has(domain)) return "node(s) didn't match pod anti-affinity rules";
    }
    return undefined;
  };
}

/** Returns the check of the anti-affinity that pods on the nodes have to a new one; undefined when none has any. */
export function existingAntiAffinityCheck(
  pod: SimulatedPod,
  nodes: readonly NodeState[],
  namespaceLabels: NamespaceLabels,
): NodeCheck | undefined {
  const avoided = new Set<string>();
  for (const state of nodes)
    for (const other of state.avoiding.values())
      for (const term of other.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) {
        const domain = domainOf(state, term.topologyKey);
        if (domain !== undefined && podsOf(term, other, namespaceLabels)(pod))
          avoided.add(`${term.topologyKey}\0${domain}`);
      }
  if (avoided.size === 0) return undefined;
  const pairs = [...avoided].map((pair) => pair.split('\0'));
  return (state) =>
    pairs.some(([key = '', domain]) => domainOf(state, key) === domain)
      ? "node(s) didn't satisfy existing pods anti-affinity rules"
      : undefined;
}

/** Returns the check of the spread constraints that forbid nodes; undefined when the pod has none. */
export function spreadCheck(pod: SimulatedPod, nodes: readonly NodeState[]): NodeCheck | undefined {
  const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule',
  );
  if (constraints.length === 0) return undefined;
  const checks = constraints.map((constraint) => constraintCheck(pod, constraint, nodes));
  return (state) => {
    for (const check of checks) {
      const problem = check(state);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
}

function constraintCheck(
  pod: SimulatedPod,
  constraint: coreV1.TopologySpreadConstraint,
  nodes: readonly NodeState[],
): NodeCheck {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint;
  const isCounted = countedPods(pod, constraint);
  const counts = new Map<string, number>();
  for (const state of nodes) {
    const domain = domainOf(state, topologyKey);
    if (domain === undefined || !isEligible(pod, constraint, state)) continue;
    let count = counts.get(domain) ?? 0;
    for (const { pod: other } of state.pods.values()) if (isCounted(other)) count += 1;
    counts.set(domain, count);
  }
  const fewest = counts.size < minDomains ? 0 : least(counts.values());
  const self = isCounted(pod) ? 1 : 0;
  return (state) => {
    const domain = domainOf(state, topologyKey);
    if (domain === undefined) return "node(s) didn't match pod topology spread constraints (missing required label)";
    const skew = (counts.get(domain) ?? 0) + self - fewest;
    return skew > maxSkew ? "node(s) didn't match pod topology spread constraints" : undefined;
  };
}

function countedPods({ metadata }: SimulatedPod, constraint: coreV1.TopologySpreadConstraint): Pods {
  const selector = selectorOf(constraint.labelSelector);
  const keys = (constraint.matchLabelKeys ?? []).filter((key) => metadata.labels?.[key] !== undefined);
  return (other) =>
    other.metadata.namespace === metadata.namespace &&
    other.metadata.deletionTimestamp === undefined &&
    selector.matches(other.metadata.labels) &&
    keys.every((key) => other.metadata.labels?.[key] === metadata.labels?.[key]);
}

/** Returns whether a node counts for a constraint. */
function isEligible(pod: SimulatedPod, constraint: coreV1.TopologySpreadConstraint, { node }: NodeState): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint;
  const spec = pod.spec ?? { containers: [] };
  if (nodeAffinityPolicy === 'Honor' && !selectsNode(spec, node)) return false;
  return nodeTaintsPolicy !== 'Honor' || untolerated(spec, node, ['NoSchedule', 'NoExecute']) === undefined;
}
