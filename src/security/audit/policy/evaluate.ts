import type { AuditLevel, AuditStage } from '../event.js';
import type { AuditGroupResources, AuditPolicy, AuditPolicyRule } from './types.js';

/** The parts of a request that a policy can use. Strings that do not apply are empty. */
export interface AuditAttributes {
  /** Undefined for a request that failed before its user was known. */
  readonly user: { readonly username: string; readonly groups: readonly string[] } | undefined;
  readonly verb: string;
  readonly isResource: boolean;
  readonly namespace: string;
  readonly apiGroup: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Decoded path. */
  readonly path: string;
}

/** The decision of a policy about a request. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** Decides how a request is recorded. */
export type AuditPolicyEvaluator = (attributes: AuditAttributes) => AuditDecision;

/** Compiles a policy. The first matching rule decides; without one the level is None. */
export function compileAuditPolicy(policy: AuditPolicy): AuditPolicyEvaluator {
  const omitted = policy.omitStages ?? [];
  const decisionOf = ({ level, omitStages = [], omitManagedFields }: AuditPolicyRule): AuditDecision => ({
    level,
    omitStages: new Set([...omitted, ...omitStages]),
    omitManagedFields: omitManagedFields ?? policy.omitManagedFields === true,
  });
  const rules = policy.rules.map((rule) => ({ matches: matcherOf(rule), decision: decisionOf(rule) }));
  const otherwise = decisionOf({ level: 'None' });
  return (attributes) => {
    for (const { matches, decision } of rules) if (matches(attributes)) return decision;
    return otherwise;
  };
}

type Matcher = (attributes: AuditAttributes) => boolean;

/** Returns the set of a list that restricts a rule; undefined for one that does not. */
function restriction(values: readonly string[] = []): ReadonlySet<string> | undefined {
  return values.length === 0 ? undefined : new Set(values);
}

function matcherOf(rule: AuditPolicyRule): Matcher {
  const users = restriction(rule.users);
  const groups = restriction(rule.userGroups);
  const verbs = restriction(rule.verbs);
  const place = placeMatcher(rule);
  return (attributes) => {
    const { user, verb } = attributes;
    if (verbs !== undefined && !verbs.has(verb)) return false;
    if (users !== undefined && (user === undefined || !users.has(user.username))) return false;
    if (groups !== undefined && user?.groups.some((group) => groups.has(group)) !== true) return false;
    return place(attributes);
  };
}

/** Matches the resource or path of a request. A rule with neither matches both. */
function placeMatcher({ namespaces, resources = [], nonResourceURLs = [] }: AuditPolicyRule): Matcher {
  const within = restriction(namespaces);
  if (within !== undefined || resources.length > 0) {
    const matchers = resources.map(resourcesMatcher);
    return (attributes) =>
      attributes.isResource &&
      (within === undefined || within.has(attributes.namespace)) &&
      (matchers.length === 0 || matchers.some((matches) => matches(attributes)));
  }
  if (nonResourceURLs.length === 0) return () => true;
  return ({ isResource, path }) => !isResource && nonResourceURLs.some((spec) => pathMatches(path, spec));
}

function resourcesMatcher({ group = '', resources = [], resourceNames }: AuditGroupResources): Matcher {
  const names = restriction(resourceNames);
  return ({ apiGroup, resource, subresource, name }) => {
    if (apiGroup !== group) return false;
    if (resources.length === 0) return true;
    if (names !== undefined && !names.has(name)) return false;
    return resources.some((spec) => resourceMatches(spec, resource, subresource));
  };
}

/** A resource matches `*`, its own name, or for a subresource `resource/sub` and `*` before the slash; `resource/*` has all. */
function resourceMatches(spec: string, resource: string, subresource: string): boolean {
  if (spec === '*') return true;
  if (spec === (subresource === '' ? resource : `${resource}/${subresource}`)) return true;
  if (subresource !== '' && spec === `*/${subresource}`) return true;
  return spec === `${resource}/*`;
}

function pathMatches(path: string, spec: string): boolean {
  if (spec === '*' || spec === path) return true;
  return spec.endsWith('*') && path.startsWith(spec.replace(/\*+$/, ''));
}
