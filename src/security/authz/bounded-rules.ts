import type { UserRules } from './rules.js';

/** Maximum number of rules that a list of rules contains. */
export const MAX_LISTED_RULES = 10_000;

/** Returns a list of rules, ended at {@link MAX_LISTED_RULES} and then marked as incomplete. */
export function boundedRules(rules: UserRules): UserRules {
  const { resourceRules, nonResourceRules } = rules;
  if (resourceRules.length + nonResourceRules.length <= MAX_LISTED_RULES) return rules;
  const listed = resourceRules.slice(0, MAX_LISTED_RULES);
  return {
    ...rules,
    resourceRules: listed,
    nonResourceRules: nonResourceRules.slice(0, MAX_LISTED_RULES - listed.length),
    incomplete: true,
  };
}
