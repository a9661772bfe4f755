import {
  atOnce,
  definedOnly,
  orch,
  UNBOUNDED_WORK,
  type Dialect,
  type Steps,
  type Work,
} from '../../../foundation/index.js';
import { LabelSelector } from '../../../machinery/index.js';
import type { Attributes } from '../attributes.js';
import { ALLOW, MASTERS_GROUP, NO_OPINION, RBAC_AUTHORIZER } from '../authorizer.js';
import { createRbacAuthorizer } from '../rbac/authorizer.js';
import { RbacPolicy } from '../rbac/policy/policy.js';
import { ruleAllows, rulesAllow, type RuleAttributes } from '../rbac/policy/rule-match.js';
import type { BindingObject, ClusterRoleObject, RoleObject } from '../rbac/types.js';
import type { AccessExplanation, NearMiss, Opinion, Aggregation } from './explanation.js';
import type { Candidate } from './nearest.js';
import { remedyFor } from './remedy.js';
import { named, tryAll } from './trials.js';

/** Units of a cluster role that may be a member of another one. */
const UNITS_PER_ROLE = 4;

/** Roles and bindings as plain objects. */
export interface RbacObjects {
  readonly roles?: Iterable<RoleObject> | undefined;
  readonly clusterRoles?: Iterable<ClusterRoleObject> | undefined;
  readonly roleBindings?: Iterable<BindingObject> | undefined;
  readonly clusterRoleBindings?: Iterable<BindingObject> | undefined;
}

/** Options of {@link explain}. */
export interface ExplainOptions {
  /** Maximum number of near misses; default 5. */
  readonly maxMisses?: number | undefined;
  /** Maximum number of tried rules; default 1,000. */
  readonly maxTried?: number | undefined;
  /** Dialect of the objects to apply; default `orch`. */
  readonly dialect?: Dialect | undefined;
  /**
   * Decisions of the server's authorizers in order, up to the one that decided. Default: those of `system:masters` and
   * the roles. Roles count where an opinion has the name `RBAC`.
   */
  readonly opinions?: readonly Opinion[] | undefined;
  /**
   * True when the resource is cluster-scoped, so that a Role would not do. Default: decided by the request's namespace.
   */
  readonly clusterScoped?: boolean | undefined;
  /** Cluster roles with labels and aggregation rules, which an `RbacPolicy` does not keep. */
  readonly clusterRoles?: Iterable<ClusterRoleObject> | undefined;
}

/**
 * Explains by roles and bindings why a request is allowed or refused: all tried bindings and rules, the nearest misses,
 * and the least-privilege role that would allow it. The cost is proportional to the objects.
 *
 * @throws ApiError (400) when the selector of an aggregation rule is invalid
 */
export function explain(
  attributes: Attributes,
  policyOrObjects: RbacPolicy | RbacObjects,
  options: ExplainOptions = {},
): AccessExplanation {
  return atOnce(explainInSteps(attributes, policyOrObjects, options, UNBOUNDED_WORK));
}

/** Explains as {@link explain} does, in steps: there may be many bindings and rules. */
export function* explainInSteps(
  attributes: Attributes,
  policyOrObjects: RbacPolicy | RbacObjects,
  options: ExplainOptions,
  work: Work,
): Steps<AccessExplanation> {
  const own = policyOrObjects instanceof RbacPolicy ? undefined : policyOrObjects;
  const policy = policyOrObjects instanceof RbacPolicy ? policyOrObjects : policyOf(policyOrObjects);
  const { opinions = opinionsOf(attributes, policy), dialect = orch, clusterScoped = false } = options;
  const last = opinions.at(-1);
  const deciding = last === undefined || last.decision === 'NoOpinion' ? undefined : last;
  const allowed = deciding?.decision === 'Allow';
  const { tried, omitted, nearest } = yield* tryAll(attributes, policy, options, work);
  const clusterRoles = [...(options.clusterRoles ?? own?.clusterRoles ?? [])];
  const allowedBy = deciding?.name === RBAC_AUTHORIZER ? grantOf(attributes, policy) : undefined;
  // A role changes nothing when an earlier authorizer denies the request.
  const rolesHelp =
    !allowed && opinions.some(({ name, decision }) => name === RBAC_AUTHORIZER && decision === 'NoOpinion');
  const nearestMisses: NearMiss[] = [];
  for (const candidate of allowed ? [] : nearest) {
    nearestMisses.push(nearMissOf(candidate, attributes, clusterRoles));
    if (work.spend(UNITS_PER_ROLE * clusterRoles.length)) yield;
  }
  return definedOnly({
    attributes,
    allowed,
    decidedBy: deciding?.name,
    reason: deciding?.reason ?? opinions.flatMap(({ reason }) => (reason === '' ? [] : [reason])).join('\n'),
    opinions,
    allowedBy,
    tried,
    omitted,
    nearestMisses,
    remedy: rolesHelp ? remedyFor(attributes, { policy, dialect, clusterScoped }) : undefined,
  });
}

function policyOf({
  roles = [],
  clusterRoles = [],
  roleBindings = [],
  clusterRoleBindings = [],
}: RbacObjects): RbacPolicy {
  const policy = new RbacPolicy();
  policy.roles.replace(roles);
  policy.clusterRoles.replace(clusterRoles);
  policy.roleBindings.replace(roleBindings);
  policy.clusterRoleBindings.replace(clusterRoleBindings);
  return policy;
}

/** Returns the decisions of the two authorizers of every default server. */
function opinionsOf(attributes: Attributes, policy: RbacPolicy): Opinion[] {
  if (attributes.user.groups.includes(MASTERS_GROUP)) return [{ ...ALLOW, name: MASTERS_GROUP }];
  return [
    { ...NO_OPINION, name: MASTERS_GROUP },
    { ...createRbacAuthorizer(policy)(attributes), name: RBAC_AUTHORIZER },
  ];
}

function grantOf(attributes: Attributes, policy: RbacPolicy): AccessExplanation['allowedBy'] {
  const grant = policy.find(attributes.user, attributes.namespace, attributes);
  const rule = grant?.binding.role?.rules?.find((candidate) => ruleAllows(attributes, candidate));
  if (grant === undefined || rule === undefined) return undefined;
  const { binding, subject } = grant.binding.firstGrant(grant, attributes.user);
  return { binding: named(binding), subject, rule };
}

function nearMissOf(
  { binding, best, own }: Candidate,
  attributes: Attributes,
  clusterRoles: readonly ClusterRoleObject[],
): NearMiss {
  const { roleRef } = binding;
  const ruleMisses = best?.trial.misses ?? [];
  const lacking = ruleMisses.length > 0 || best === undefined;
  const aggregation =
    roleRef.kind === 'ClusterRole' && lacking ? aggregationOf(roleRef.name, clusterRoles, attributes) : undefined;
  return definedOnly({
    binding: named(binding),
    rule: best?.trial.rule,
    misses: [...own.map(({ miss }) => miss), ...ruleMisses],
    aggregation,
  });
}

const MAX_MEMBERS = 20;

/**
 * Returns the aggregation of a cluster role with regard to a request, or undefined when it does not aggregate.
 *
 * @throws ApiError (400) when a selector is invalid
 */
function aggregationOf(
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
