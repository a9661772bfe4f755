/**
 * Node selectors, taints and tolerations.
 *
 * @module
 */
import { ownMember } from '../../foundation/index.js';
import type { coreV1, Node } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';

type ClusterNode = ObjectOf<typeof Node>;
type Labels = Readonly<Record<string, string>>;

/** Returns whether a node has the labels that a pod's `nodeSelector` and required node affinity ask for. */
export function selectsNode({ nodeSelector, affinity }: coreV1.PodSpec, { metadata }: ClusterNode): boolean {
  const { labels = {}, name = '' } = metadata;
  for (const key in nodeSelector) if (labels[key] !== nodeSelector[key]) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || required.nodeSelectorTerms.some((term) => termMatches(term, labels, name));
}

/** Returns the sum of the weights of the preferred terms that a node matches. */
export function nodePreference({ affinity }: coreV1.PodSpec, { metadata }: ClusterNode): number {
  const { labels = {}, name = '' } = metadata;
  let sum = 0;
  for (const { weight, preference } of affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
    if (termMatches(preference, labels, name)) sum += weight;
  return sum;
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

/** Returns whether a toleration covers a taint. */
export function tolerates({ key, operator, value, effect }: coreV1.Toleration, taint: coreV1.Taint): boolean {
  if (effect !== undefined && effect !== '' && effect !== taint.effect) return false;
  if (key !== undefined && key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || (value ?? '') === (taint.value ?? '');
}

/** Returns the first taint with one of the effects that no toleration covers. */
export function untolerated(
  { tolerations = [] }: coreV1.PodSpec,
  { spec }: ClusterNode,
  effects: readonly string[],
): coreV1.Taint | undefined {
  return spec?.taints?.find(
    (taint) => effects.includes(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
}
