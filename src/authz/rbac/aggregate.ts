import { LabelSelector } from '../../selectors/labels.js';
import type { ClusterRoleObject, PolicyRule } from './types.js';

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

/** True when two lists contain equal rules in the same order. */
export function sameRules(
  a: readonly PolicyRule[] | null | undefined,
  b: readonly PolicyRule[] | null | undefined,
): boolean {
  const left = a ?? [];
  const right = b ?? [];
  return (
    left.length === right.length &&
    left.every((rule, index) => ruleKey(rule) === ruleKey(right[index] ?? { verbs: [] }))
  );
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
export function aggregateRules(
  role: ClusterRoleObject,
  allRoles: Iterable<ClusterRoleObject>,
): PolicyRule[] | undefined {
  if (role.aggregationRule === undefined) return undefined;
  const others = [...allRoles].filter(({ metadata }) => metadata.name !== role.metadata.name).sort(byName);
  const rules = new Map<string, PolicyRule>();
  for (const object of role.aggregationRule.clusterRoleSelectors ?? []) {
    const selector = LabelSelector.fromObject(object);
    for (const other of others) {
      if (!selector.matches(other.metadata.labels)) continue;
      for (const rule of other.rules ?? []) {
        const key = ruleKey(rule);
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  return [...rules.values()];
}
