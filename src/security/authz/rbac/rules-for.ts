import type { UserInfo } from '../../../foundation/index.js';
import { MAX_LISTED_RULES } from '../bounded-rules.js';
import type { NonResourceRule, ResourceRule, UserRules } from '../rules.js';
import { missingRolesText } from './missing-roles.js';
import type { RbacPolicy } from './policy/policy.js';
import type { PolicyRule } from './types.js';

/** The unmerged rules of all bindings of a user. */
export interface EffectiveRules {
  readonly rules: readonly PolicyRule[];
  /** Message about missing roles, worded like a failed read; absent when no role is missing. */
  readonly error?: string | undefined;
}

/** Returns all rules of a user in a namespace (empty: cluster scope), cluster-wide ones first. */
export function effectiveRules(policy: RbacPolicy, user: UserInfo, namespace: string): EffectiveRules {
  const bindings = policy.bindingsOf(user, namespace);
  const error = missingRolesText(bindings, 'plural');
  return { rules: bindings.flatMap(({ rules = [] }) => rules), error };
}

const some = (list: readonly string[] | undefined): list is readonly string[] => list !== undefined && list.length > 0;

function resourceRule({ verbs, apiGroups, resources, resourceNames }: PolicyRule): ResourceRule {
  return {
    verbs,
    ...(some(apiGroups) ? { apiGroups } : {}),
    ...(some(resources) ? { resources } : {}),
    ...(some(resourceNames) ? { resourceNames } : {}),
  };
}

/**
 * Returns the rules of a user in a namespace for a SelfSubjectRulesReview. Rules are not merged. Beyond
 * {@link MAX_LISTED_RULES} the list ends and is incomplete.
 */
export function rulesFor(policy: RbacPolicy, user: UserInfo, namespace: string): UserRules {
  const bindings = policy.bindingsOf(user, namespace);
  const error = missingRolesText(bindings);
  const resourceRules: ResourceRule[] = [];
  const nonResourceRules: NonResourceRule[] = [];
  for (const { rules = [] } of bindings)
    for (const rule of rules) {
      if (resourceRules.length + nonResourceRules.length >= MAX_LISTED_RULES)
        return { resourceRules, nonResourceRules, incomplete: true, error };
      const { verbs, resources, nonResourceURLs } = rule;
      if (some(resources)) resourceRules.push(resourceRule(rule));
      if (some(nonResourceURLs)) nonResourceRules.push({ verbs, nonResourceURLs });
    }
  return { resourceRules, nonResourceRules, incomplete: false, error };
}
