import { aCount, aName, aText, checkOptions } from '../../foundation/index.js';
import { all, aPattern, byLabels, fits, labelsCheck, type Predicate } from '../scheduling/match.js';

/** Selects Services: all given conditions must hold. An empty object selects all. */
export interface LoadBalancerMatch {
  /** Labels that the Service has, or a label selector as a string. */
  readonly labels?: Readonly<Record<string, string>> | string | undefined;
  readonly namespace?: string | undefined;
  /** Name of the Service, or a pattern for a part of it. */
  readonly name?: string | RegExp | undefined;
  /** Maximum number of objects that follow the rule: the first ones. Default all. */
  readonly first?: number | undefined;
}

/** Selects volumes by their claims: all given conditions must hold. An empty object selects all. */
export interface VolumeMatch {
  /** Labels that the claim has, or a label selector as a string. */
  readonly labels?: Readonly<Record<string, string>> | string | undefined;
  readonly namespace?: string | undefined;
  /** Name of the claim, or a pattern for a part of it. */
  readonly name?: string | RegExp | undefined;
  /** Name of the StorageClass. */
  readonly storageClass?: string | undefined;
  /** Maximum number of objects that follow the rule: the first ones. Default all. */
  readonly first?: number | undefined;
}

/** A Service or claim as rules see it. A claim is known beyond its deletion, by its volume. */
export interface CloudItem {
  readonly uid: string;
  readonly metadata: {
    readonly name?: string | undefined;
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
  readonly storageClass?: string | undefined;
}

const checks = {
  labels: labelsCheck,
  namespace: aName,
  name: aPattern,
  storageClass: aText,
  first: aCount('objects', 1),
};
const { storageClass: _, ...balancerChecks } = checks;

/**
 * Compiles a selection of Services.
 *
 * @param match conditions, or the name of a Service
 * @throws TypeError for an unknown or invalid condition, or an invalid label selector
 */
export const loadBalancerPredicate = (match: LoadBalancerMatch | string): Predicate<CloudItem> =>
  predicateOf('loadBalancers.matching', typeof match === 'string' ? { name: match } : match, balancerChecks);

/**
 * Compiles a selection of volumes.
 *
 * @param match conditions, or the name of a claim
 * @throws TypeError for an unknown or invalid condition, or an invalid label selector
 */
export const volumePredicate = (match: VolumeMatch | string): Predicate<CloudItem> =>
  predicateOf('volumes.matching', typeof match === 'string' ? { name: match } : match, checks);

function predicateOf(
  subject: string,
  conditions: VolumeMatch,
  known: Readonly<Record<string, typeof aName>>,
): Predicate<CloudItem> {
  checkOptions(subject, conditions, known);
  const { labels, namespace, name, storageClass } = conditions;
  return all<CloudItem>([
    labels === undefined ? undefined : byLabels(subject, labels),
    namespace === undefined ? undefined : ({ metadata }) => metadata.namespace === namespace,
    name === undefined ? undefined : ({ metadata }) => fits(name, metadata.name ?? ''),
    storageClass === undefined ? undefined : (item) => item.storageClass === storageClass,
  ]);
}
