import { resourceMatches, urlMatches, type RuleAttributes } from '../rbac/policy/rule-match.js';
import { ALL, type PolicyRule } from '../rbac/types.js';
import { distancesFrom, nearestOf, type Distances } from './closeness.js';
import type { MeasuredMiss, Miss, MissDimension } from './misses.js';

/** A rule and its mismatches with a request. */
export interface RuleTrial {
  readonly rule: PolicyRule;
  /** Empty when the rule allows the request. */
  readonly misses: readonly Miss[];
}

/** A tried rule and its distance from the request. */
export interface MeasuredTrial {
  readonly trial: RuleTrial;
  /** Number of misses; some count more than once. */
  readonly weight: number;
  /** Sum of the word distances, plus a little for each `*`: a rule that allows everything is close to nothing. */
  readonly distance: number;
}

type Comparison = (rule: PolicyRule) => readonly MeasuredMiss[];

const NO_MISS: readonly MeasuredMiss[] = [];
const NO_WORDS: readonly string[] = [];

/** A rule for the other kind of request, resource or path, is hardly related to this one. */
const WEIGHT_OF_KIND = 3;
/** Maximum number of resources of a rule that are compared. */
const MAX_ENTRIES = 100;
const DISTANCE_OF_ALL = 0.1;
/** Distance between verbs that are usually granted together. */
const DISTANCE_IN_FAMILY = 0.3;

const VERB_FAMILIES: ReadonlyMap<string, string> = new Map([
  ['get', 'read'],
  ['list', 'read'],
  ['watch', 'read'],
  ['create', 'write'],
  ['update', 'write'],
  ['patch', 'write'],
  ['delete', 'delete'],
  ['deletecollection', 'delete'],
]);

function verbDistances(verb: string): Distances {
  const distances = distancesFrom(verb);
  const family = VERB_FAMILIES.get(verb);
  return (word) => (family !== undefined && VERB_FAMILIES.get(word) === family ? DISTANCE_IN_FAMILY : distances(word));
}

const missOf = (
  dimension: MissDimension,
  wanted: string,
  offered: readonly string[],
  distance: number,
  weight = 1,
): MeasuredMiss => ({
  miss: { in: dimension, wanted, offered },
  weight,
  distance,
});

/** Compares a list that must contain the word or `*`. */
function listed(
  dimension: MissDimension,
  wanted: string,
  listOf: (rule: PolicyRule) => readonly string[] | undefined,
  distances: Distances,
): Comparison {
  return (rule) => {
    const offered = listOf(rule) ?? NO_WORDS;
    return offered.includes(wanted) || offered.includes(ALL)
      ? NO_MISS
      : [missOf(dimension, wanted, offered, nearestOf(offered, distances))];
  };
}

/** Compares resources. The closest entry decides whether the resource, its subresource or both are missing. */
function resources({ resource, subresource }: RuleAttributes): Comparison {
  const resourceDistances = distancesFrom(resource);
  const subresourceDistances = distancesFrom(subresource);
  const entryMisses = (entry: string, offered: readonly string[]): readonly MeasuredMiss[] => {
    const slash = entry.indexOf('/');
    const word = slash === -1 ? entry : entry.slice(0, slash);
    const sub = slash === -1 ? '' : entry.slice(slash + 1);
    const found =
      word === resource || word === ALL ? [] : [missOf('resource', resource, offered, resourceDistances(word))];
    // An entry that ends with a slash is invalid and matches nothing.
    if (sub !== subresource || found.length === 0)
      found.push(missOf('subresource', subresource, offered, subresourceDistances(sub)));
    return found;
  };
  return (rule) => {
    const offered = rule.resources ?? NO_WORDS;
    if (resourceMatches(rule, resource, subresource)) return NO_MISS;
    let nearest: readonly MeasuredMiss[] | undefined;
    for (const entry of offered.slice(0, MAX_ENTRIES)) {
      const misses = entryMisses(entry, offered);
      if (nearest === undefined || isNearer(misses, nearest)) nearest = misses;
    }
    return nearest ?? NO_MISS;
  };
}

const total = (misses: readonly MeasuredMiss[], of: 'weight' | 'distance'): number =>
  misses.reduce((sum, miss) => sum + miss[of], 0);

function isNearer(a: readonly MeasuredMiss[], b: readonly MeasuredMiss[]): boolean {
  return a.length < b.length || (a.length === b.length && total(a, 'distance') < total(b, 'distance'));
}

function names({ name }: RuleAttributes): Comparison {
  const distances = distancesFrom(name);
  return ({ resourceNames = NO_WORDS }) =>
    resourceNames.length === 0 || resourceNames.includes(name)
      ? NO_MISS
      : [missOf('name', name, resourceNames, name === '' ? 1 : nearestOf(resourceNames, distances))];
}

function paths({ path }: RuleAttributes): Comparison {
  const distances = distancesFrom(path);
  return ({ nonResourceURLs = NO_WORDS }) =>
    nonResourceURLs.some((pattern) => urlMatches(pattern, path))
      ? NO_MISS
      : [missOf('path', path, nonResourceURLs, nearestOf(nonResourceURLs, distances))];
}

/** A rule for paths does not apply to a resource request, and the reverse. */
function comparisonsOf(attributes: RuleAttributes): (rule: PolicyRule) => readonly Comparison[] {
  const { verb, isResource, apiGroup } = attributes;
  const verbs = listed('verb', verb, (rule) => rule.verbs, verbDistances(verb));
  const own = isResource
    ? [
        verbs,
        listed('apiGroup', apiGroup, (rule) => rule.apiGroups, distancesFrom(apiGroup)),
        resources(attributes),
        names(attributes),
      ]
    : [verbs, paths(attributes)];
  const wanted = isResource ? 'resource' : 'path';
  const none = [
    verbs,
    (rule: PolicyRule) => [
      missOf('kind', wanted, (isResource ? rule.nonResourceURLs : rule.resources) ?? NO_WORDS, 1, WEIGHT_OF_KIND),
    ],
  ];
  return (rule) => (((isResource ? rule.resources : rule.nonResourceURLs)?.length ?? 0) > 0 ? own : none);
}

const countOfAll = ({ verbs, apiGroups, resources: words, nonResourceURLs }: PolicyRule): number =>
  [verbs, apiGroups, words, nonResourceURLs].filter((list) => list?.includes(ALL) === true).length;

/**
 * Returns a function that compares rules with a request. A trial has no misses exactly when `ruleAllows` is true. The
 * cost is proportional to the rule.
 */
export function ruleMeasure(attributes: RuleAttributes): (rule: PolicyRule) => MeasuredTrial {
  const comparisons = comparisonsOf(attributes);
  return (rule) => {
    const found = comparisons(rule).flatMap((compare) => compare(rule));
    return {
      trial: { rule, misses: found.map(({ miss }) => miss) },
      weight: total(found, 'weight'),
      distance: total(found, 'distance') + DISTANCE_OF_ALL * countOfAll(rule),
    };
  };
}
