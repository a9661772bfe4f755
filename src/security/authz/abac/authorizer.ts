import { appendTo, type UserInfo } from '../../../foundation/index.js';
import type { Attributes } from '../attributes.js';
import { ALLOW, type Authorizer, type Decision } from '../authorizer.js';
import type { SynchronousAuthorizer } from '../rbac/authorizer.js';
import { urlMatches } from '../rbac/policy/rule-match.js';
import { NO_RULES, type NonResourceRule, type ResourceRule, type UserRules } from '../rules.js';
import { ANY, type AbacPolicy } from './policy.js';

const NO_MATCH: Decision = Object.freeze({ decision: 'NoOpinion', reason: 'No policy matched.' });
const READ_VERBS: readonly string[] = ['get', 'list', 'watch'];

const isOrAny = (pattern: string, value: string): boolean => pattern === ANY || pattern === value;

/** True when the policy applies to the user: by name, by group, or by both when it has both. */
function subjectMatches({ user, group }: AbacPolicy, { username, groups }: UserInfo): boolean {
  if (user === '' && group === '') return false;
  if (user !== '' && !isOrAny(user, username)) return false;
  return group === '' || group === ANY || groups.includes(group);
}

/** True when the policy allows the request, whatever its subject. */
function requestMatches(
  policy: AbacPolicy,
  { verb, isResource, namespace, resource, apiGroup, path }: Attributes,
): boolean {
  if (policy.readonly && !READ_VERBS.includes(verb)) return false;
  if (!isResource) return urlMatches(policy.nonResourcePath, path);
  return (
    isOrAny(policy.namespace, namespace) && isOrAny(policy.resource, resource) && isOrAny(policy.apiGroup, apiGroup)
  );
}

/** Policies by user or group, so a decision reads only those that can match. */
interface PolicyIndex {
  readonly byUser: ReadonlyMap<string, readonly AbacPolicy[]>;
  readonly byGroup: ReadonlyMap<string, readonly AbacPolicy[]>;
  readonly forAll: readonly AbacPolicy[];
}

function indexOf(policies: readonly AbacPolicy[]): PolicyIndex {
  const byUser = new Map<string, AbacPolicy[]>();
  const byGroup = new Map<string, AbacPolicy[]>();
  const forAll: AbacPolicy[] = [];
  for (const policy of policies) {
    const { user, group } = policy;
    if (user !== '' && user !== ANY) appendTo(byUser, user, policy);
    else if (group !== '' && group !== ANY) appendTo(byGroup, group, policy);
    else forAll.push(policy);
  }
  return { byUser, byGroup, forAll };
}

function anyAllows(policies: readonly AbacPolicy[] | undefined, attributes: Attributes): boolean {
  return (
    policies?.some((policy) => subjectMatches(policy, attributes.user) && requestMatches(policy, attributes)) ?? false
  );
}

/**
 * Creates the ABAC authorizer. It allows a request that any policy allows, and otherwise has no opinion: `No policy
 * matched.`
 *
 * @param policies for example from `parseAbacPolicy`; they must not change
 */
export function createAbacAuthorizer(policies: readonly AbacPolicy[]): SynchronousAuthorizer & Authorizer {
  const { byUser, byGroup, forAll } = indexOf(policies);
  const isAllowed = (attributes: Attributes): boolean => {
    const { username, groups } = attributes.user;
    if (anyAllows(byUser.get(username), attributes) || anyAllows(forAll, attributes)) return true;
    return byGroup.size > 0 && groups.some((group) => anyAllows(byGroup.get(group), attributes));
  };
  return Object.assign((attributes: Attributes) => (isAllowed(attributes) ? ALLOW : NO_MATCH), {
    rulesFor: (user: UserInfo, namespace: string) => rulesFor(policies, user, namespace),
  });
}

/** As in Kubernetes, a policy for paths is listed only in its namespace, although it applies without one. */
function rulesFor(policies: readonly AbacPolicy[], user: UserInfo, namespace: string): UserRules {
  const resourceRules: ResourceRule[] = [];
  const nonResourceRules: NonResourceRule[] = [];
  for (const policy of policies) {
    if (!subjectMatches(policy, user) || !isOrAny(policy.namespace, namespace)) continue;
    const verbs = policy.readonly ? READ_VERBS : [ANY];
    if (policy.resource !== '')
      resourceRules.push({ verbs, apiGroups: [policy.apiGroup], resources: [policy.resource] });
    if (policy.nonResourcePath !== '') nonResourceRules.push({ verbs, nonResourceURLs: [policy.nonResourcePath] });
  }
  return { ...NO_RULES, resourceRules, nonResourceRules };
}
