/**
 * Which pods and nodes a rule is about.
 *
 * @module
 */
import {
  aCount,
  aName,
  aText,
  checkOptions,
  either,
  matching,
  shown,
  type OptionCheck,
} from '../../foundation/index.js';
import { LabelSelector } from '../../machinery/index.js';
import type { SimulatedPod } from '../objects.js';
import type { SimulatedNode } from '../objects.js';

/** Selects pods: all given conditions must hold. An empty object selects all pods. */
export interface PodMatch {
  /** Labels that the pod has, or a label selector as a string: `app in (web, api)`. */
  readonly labels?: Readonly<Record<string, string>> | string | undefined;
  readonly namespace?: string | undefined;
  /** Name of the pod, or a pattern for a part of it: `/^db-[0-9]+$/`. */
  readonly name?: string | RegExp | undefined;
  /**
   * Image of one of its containers: with or without its tag, or a pattern for a part of it.
   */
  readonly image?: string | RegExp | undefined;
  /** Kind of the object that controls the pod: `Job`, `ReplicaSet`; or kind and name, `StatefulSet/db`. */
  readonly owner?: string | undefined;
  /** Name of the node that it runs on. */
  readonly node?: string | undefined;
  /**
   * Maximum number of pods that follow the rule: the first ones. For the others it is as if there were no rule. Default
   * all.
   */
  readonly first?: number | undefined;
}

/** Selects nodes: all given conditions must hold. An empty object selects all nodes. */
export interface NodeMatch {
  /** Labels that the node has, or a label selector as a string. */
  readonly labels?: Readonly<Record<string, string>> | string | undefined;
  /** Name of the node, or a pattern for a part of it. */
  readonly name?: string | RegExp | undefined;
}

/** Tells whether an object is selected. */
export type Predicate<Item> = (item: Item) => boolean;

/** A text or a pattern. */
export const aPattern = either(
  aName,
  matching('a string or a regular expression', (value) => value instanceof RegExp),
);
/** Labels, or a label selector as a string. */
export const labelsCheck: OptionCheck = matching(
  'an object of labels, or a label selector as text',
  (value) =>
    typeof value === 'string' ||
    (typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every((label) => typeof label === 'string')),
);

const podChecks = {
  labels: labelsCheck,
  namespace: aName,
  name: aPattern,
  image: aPattern,
  owner: aName,
  node: aText,
  first: aCount('pods', 1),
} satisfies Record<keyof PodMatch, OptionCheck>;
const nodeChecks = { labels: labelsCheck, name: aPattern } satisfies Record<keyof NodeMatch, OptionCheck>;

/**
 * Compiles a selection of pods.
 *
 * @param match conditions, or a label selector as text
 * @throws TypeError for an unknown or invalid condition, or an invalid label selector
 */
export function podPredicate(match: PodMatch | string): Predicate<SimulatedPod> {
  const conditions: PodMatch = typeof match === 'string' ? { labels: match } : match;
  checkOptions('pods.matching', conditions, podChecks);
  const { labels, namespace, name, image, owner, node } = conditions;
  return all<SimulatedPod>([
    labels === undefined ? undefined : byLabels('pods.matching', labels),
    namespace === undefined ? undefined : ({ metadata }) => metadata.namespace === namespace,
    name === undefined ? undefined : ({ metadata }) => fits(name, metadata.name ?? ''),
    image === undefined ? undefined : (pod) => imagesOf(pod).some((text) => isImage(image, text)),
    owner === undefined ? undefined : (pod) => isOwnedBy(pod, owner),
    node === undefined ? undefined : ({ spec }) => spec?.nodeName === node,
  ]);
}

/**
 * Compiles a selection of nodes.
 *
 * @param match conditions, or the name of a node
 * @throws TypeError for an unknown or invalid condition, or an invalid label selector
 */
export function nodePredicate(match: NodeMatch | string): Predicate<SimulatedNode> {
  const conditions: NodeMatch = typeof match === 'string' ? { name: match } : match;
  checkOptions('nodes.matching', conditions, nodeChecks);
  const { labels, name } = conditions;
  return all<SimulatedNode>([
    labels === undefined ? undefined : byLabels('nodes.matching', labels),
    name === undefined ? undefined : ({ metadata }) => fits(name, metadata.name ?? ''),
  ]);
}

/** Returns the predicate that holds when all given ones hold. */
export function all<Item>(predicates: readonly (Predicate<Item> | undefined)[]): Predicate<Item> {
  const given = predicates.filter((predicate) => predicate !== undefined);
  return (item) => given.every((holds) => holds(item));
}

/** An object with labels. */
interface Labelled {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> | undefined };
}

/** Returns the predicate of labels. @throws TypeError for an invalid label selector */
export function byLabels(subject: string, labels: Readonly<Record<string, string>> | string): Predicate<Labelled> {
  const selector = typeof labels === 'string' ? parseSelector(subject, labels) : LabelSelector.fromLabels(labels);
  return ({ metadata }) => selector.matches(metadata.labels);
}

function parseSelector(subject: string, text: string): LabelSelector {
  try {
    return LabelSelector.parse(text);
  } catch (error) {
    throw new TypeError(
      `${subject}: ${shown(text)} is not a label selector such as "app=web": ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

/** Returns whether a text matches. A pattern with the flag `g` would remember its last match. */
export const fits = (pattern: string | RegExp, text: string): boolean =>
  typeof pattern === 'string' ? pattern === text : text.search(pattern) >= 0;

function imagesOf({ spec }: SimulatedPod): string[] {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ image = '' }) => image);
}

function isImage(pattern: string | RegExp, image: string): boolean {
  return fits(pattern, image) || (typeof pattern === 'string' && image.replace(/(:[^:/]*)?(@[^@]*)?$/, '') === pattern);
}

function isOwnedBy({ metadata }: SimulatedPod, owner: string): boolean {
  const found = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return found !== undefined && (found.kind === owner || `${found.kind}/${found.name}` === owner);
}
