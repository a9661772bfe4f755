import { LabelSelector } from '../../selectors/labels.js';
import { rulesAllow, type RuleAttributes } from '../rbac/rule-match.js';
import type { ClusterRoleObject } from '../rbac/types.js';
import type { Aggregation } from './explanation.js';

const MAX_MEMBERS = 20;

/**
 * What a cluster role is the sum of, as far as a request is concerned; undefined when it is no sum.
 *
 * @throws ApiError (400) when a selector is wrong
 */
export function aggregationOf(
  name: string,
  clusterRoles: readonly ClusterRoleObject[],
  attributes: RuleAttributes,
): Aggregation | undefined {
  const selectors = clusterRoles.find(({ metadata }) => metadata.name === name)?.aggregationRule?.clusterRoleSelectors;
  if (selectors === undefined || selectors.length === 0) return undefined;
  const matchers = selectors.map((selector) => LabelSelector.fromObject(selector));
  const members = clusterRoles.filter(
    ({ metadata }) => metadata.name !== name && matchers.some((matcher) => matcher.matches(metadata.labels)),
  );
  const namesOf = (roles: readonly ClusterRoleObject[]): string[] =>
    roles
      .map(({ metadata }) => metadata.name ?? '')
      .sort()
      .slice(0, MAX_MEMBERS);
  return {
    selectors,
    members: namesOf(members),
    allowing: namesOf(members.filter(({ rules }) => rulesAllow(attributes, rules ?? []))),
  };
}
