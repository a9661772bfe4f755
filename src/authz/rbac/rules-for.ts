import type { UserInfo } from '../../meta/object.js';
import type { ResourceRule, UserRules } from '../rules.js';
import { missingRolesText } from './missing-roles.js';
import type { RbacPolicy } from './policy.js';
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

/** Returns the rules of a user in a namespace for a SelfSubjectRulesReview. Rules are not merged. */
export function rulesFor(policy: RbacPolicy, user: UserInfo, namespace: string): UserRules {
  const bindings = policy.bindingsOf(user, namespace);
  const rules = bindings.flatMap((binding) => binding.rules ?? []);
  const error = missingRolesText(bindings);
  return {
    resourceRules: rules.filter(({ resources }) => some(resources)).map(resourceRule),
    nonResourceRules: rules.flatMap(({ verbs, nonResourceURLs }) =>
      some(nonResourceURLs) ? [{ verbs, nonResourceURLs }] : [],
    ),
    incomplete: false,
    error,
  };
}
