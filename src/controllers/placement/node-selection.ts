/**
 * Node selectors, taints and tolerations.
 *
 * @module
 */
import { ownMember } from '../../foundation/index.js';
import type { coreV1, Node } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';
import { Tolerations } from './tolerations.js';

type ClusterNode = ObjectOf<typeof Node>;
type Labels = Readonly<Record<string, string>>;

/** Units of work to compare a pod without rules with a node. */
const NODE_UNITS = 4;
/** Units of work to look for the tolerations of a taint. */
const TAINT_UNITS = 16;

/**
 * The rules of a pod about nodes. Made once for all nodes that the pod is compared with: a pod may have tens of
 * thousands of terms and tolerations, and a node as many taints.
 */
export class NodeRules {
  readonly #labels: readonly (readonly [key: string, value: string])[];
  readonly #required: readonly coreV1.NodeSelectorTerm[] | undefined;
  readonly #preferred: readonly coreV1.PreferredSchedulingTerm[];
  readonly #tolerations: Tolerations;
  readonly #units: number;

  constructor({ nodeSelector, affinity, tolerations = [] }: coreV1.PodSpec) {
    const { requiredDuringSchedulingIgnoredDuringExecution, preferredDuringSchedulingIgnoredDuringExecution = [] } =
      affinity?.nodeAffinity ?? {};
    this.#labels = Object.entries(nodeSelector ?? {});
    this.#required = requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
    this.#preferred = preferredDuringSchedulingIgnoredDuringExecution;
    this.#tolerations = new Tolerations(tolerations);
    let units = NODE_UNITS + this.#labels.length;
    for (const term of this.#required ?? []) units += unitsOf(term);
    for (const { preference } of this.#preferred) units += unitsOf(preference);
    this.#units = units;
  }

  /** Returns the units of work to compare the rules with a node; about. */
  unitsFor({ spec }: ClusterNode): number {
    return this.#units + TAINT_UNITS * (spec?.taints?.length ?? 0);
  }

  /** Returns whether a node has the labels that `nodeSelector` and required node affinity ask for. */
  selects({ metadata }: ClusterNode): boolean {
    const { labels = {}, name = '' } = metadata;
    for (const [key, value] of this.#labels) if (labels[key] !== value) return false;
    return this.#required === undefined || this.#required.some((term) => termMatches(term, labels, name));
  }

  /** Returns the sum of the weights of the preferred terms that a node matches. */
  preference({ metadata }: ClusterNode): number {
    const { labels = {}, name = '' } = metadata;
    let sum = 0;
    for (const { weight, preference } of this.#preferred) if (termMatches(preference, labels, name)) sum += weight;
    return sum;
  }

  /** Returns whether a toleration covers a taint. */
  tolerates(taint: coreV1.Taint): boolean {
    return this.#tolerations.first(taint) !== undefined;
  }

  /** Returns the first taint with one of the effects that no toleration covers. */
  untolerated({ spec }: ClusterNode, effects: readonly string[]): coreV1.Taint | undefined {
    return spec?.taints?.find((taint) => effects.includes(taint.effect) && !this.tolerates(taint));
  }
}

/** Returns the units of work to compare a term with a node. */
function unitsOf({ matchExpressions = [], matchFields = [] }: coreV1.NodeSelectorTerm): number {
  let units = 1;
  for (const { values = [] } of matchExpressions) units += 2 + values.length / 4;
  for (const { values = [] } of matchFields) units += 2 + values.length / 4;
  return units;
}

/** A term without requirements matches no node. */
function termMatches(
  { matchExpressions = [], matchFields = [] }: coreV1.NodeSelectorTerm,
  labels: Labels,
  name: string,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const fields: Labels = { 'metadata.name': name };
  return (
    matchExpressions.every((requirement) => requirementHolds(requirement, labels)) &&
    matchFields.every((requirement) => requirementHolds(requirement, fields))
  );
}

type Operator = (value: string | undefined, values: readonly string[]) => boolean;

const OPERATORS: Readonly<Record<string, Operator>> = {
  In: (value, values) => value !== undefined && values.includes(value),
  NotIn: (value, values) => value === undefined || !values.includes(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
  Gt: (value, values) => value !== undefined && Number(value) > Number(values[0]),
  Lt: (value, values) => value !== undefined && Number(value) < Number(values[0]),
};

function requirementHolds({ key, operator, values = [] }: coreV1.NodeSelectorRequirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  return Object.hasOwn(OPERATORS, operator) && ownMember(OPERATORS, operator)?.(value, values) === true;
}
