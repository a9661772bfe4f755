import { atOnce, UNBOUNDED_WORK, type Steps, type Work } from '../../../foundation/index.js';
import { LabelSelector } from '../../../machinery/index.js';
import type { ClusterRoleObject, PolicyRule } from './types.js';

/** Field manager of the rules of aggregated roles: a user who applies other rules meets a conflict with it. */
export const AGGREGATION_MANAGER = 'clusterrole-aggregation-controller';

/** Units of work to take a rule: about two microseconds. */
const RULE_UNITS = 40;

/** Returns a key that is equal for equal rules. Lists keep their order; an absent list equals an empty one. */
function ruleKey({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
}

/** Rules of an object. */
type Rules = readonly PolicyRule[] | null | undefined;

/** True when two lists contain equal rules in the same order. */
export const sameRules = (a: Rules, b: Rules): boolean => atOnce(sameRulesInSteps(a, b, UNBOUNDED_WORK));

/** Does what {@link sameRules} does, with a pause where the lists are long. */
export function* sameRulesInSteps(a: Rules, b: Rules, work: Work): Steps<boolean> {
  const left = a ?? [];
  const right = b ?? [];
  if (left.length !== right.length) return false;
  for (const [index, rule] of left.entries()) {
    if (work.spend(RULE_UNITS)) yield;
    if (ruleKey(rule) !== ruleKey(right[index] ?? { verbs: [] })) return false;
  }
  return true;
}

const byName = (a: ClusterRoleObject, b: ClusterRoleObject): number => {
  const left = a.metadata.name ?? '';
  const right = b.metadata.name ?? '';
  return left < right ? -1 : left > right ? 1 : 0;
};

/**
 * Returns the rules of an aggregated cluster role: selector by selector, the rules of the selected roles in name order,
 * each rule once. A role never selects itself.
 *
 * @returns the rules; undefined for a role without an aggregation rule
 * @throws ApiError (400) when a selector is invalid
 */
export const aggregateRules = (
  role: ClusterRoleObject,
  allRoles: Iterable<ClusterRoleObject>,
): PolicyRule[] | undefined => atOnce(aggregateRulesInSteps(role, allRoles, UNBOUNDED_WORK));

/** Does what {@link aggregateRules} does, with a pause where the rules are many. */
export function* aggregateRulesInSteps(
  role: ClusterRoleObject,
  allRoles: Iterable<ClusterRoleObject>,
  work: Work,
): Steps<PolicyRule[] | undefined> {
  if (role.aggregationRule === undefined) return undefined;
  const others = [...allRoles].filter(({ metadata }) => metadata.name !== role.metadata.name).sort(byName);
  const rules = new Map<string, PolicyRule>();
  for (const object of role.aggregationRule.clusterRoleSelectors ?? []) {
    const selector = LabelSelector.fromObject(object);
    for (const other of others) {
      if (work.spend(RULE_UNITS)) yield;
      if (!selector.matches(other.metadata.labels)) continue;
      for (const rule of other.rules ?? []) {
        if (work.spend(RULE_UNITS)) yield;
        const key = ruleKey(rule);
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  return [...rules.values()];
}
