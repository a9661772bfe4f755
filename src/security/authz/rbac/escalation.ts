/**
 * Escalation checks. A user who writes a role must hold all its rules or have the permission `escalate`. A user who
 * writes a binding must hold all rules of its role or have the permission `bind`. The messages are those of Kubernetes.
 *
 * @module
 */
import {
  errors,
  goQuote,
  inSlices,
  onlyCollectorFieldsDiffer,
  UNBOUNDED_WORK,
  type GroupResource,
  type Steps,
  type UserInfo,
  type Work,
} from '../../../foundation/index.js';
import type { Attributes } from '../attributes.js';
import { MASTERS_GROUP, type Authorizer } from '../authorizer.js';
import { coveringRulesInSteps } from './covering.js';
import { firstLines } from './first-lines.js';
import type { RbacPolicy } from './policy/policy.js';
import { ROLE_KINDS } from './role-kinds.js';
import { compactRules, quotedList, ruleText } from './rule-text.js';
import { effectiveRules, type EffectiveRules } from './rules-for.js';
import { ALL, type BindingObject, type ClusterRoleObject, type PolicyRule, type RoleRef } from './types.js';

/** Dependencies of the checks. */
export interface EscalationPorts {
  /** Returns the rules of a user in a namespace (empty: cluster scope). */
  rulesFor(user: UserInfo, namespace: string): EffectiveRules;
  /**
   * Returns the rules of the role of a binding in a namespace (empty: a ClusterRoleBinding).
   *
   * @throws ApiError when the role cannot be read
   */
  rulesOf(roleRef: RoleRef, namespace: string): readonly PolicyRule[];
  /** All authorizers of the server; decides the verbs `escalate` and `bind`. */
  readonly authorize: Authorizer;
}

/** Returns the dependencies from a policy. */
export function escalationPorts(policy: RbacPolicy, authorize: Authorizer): EscalationPorts {
  return {
    rulesFor: (user, namespace) => effectiveRules(policy, user, namespace),
    rulesOf: (roleRef, namespace) => policy.rulesOf(roleRef, namespace),
    authorize,
  };
}

/** A write of a role or binding, after defaulting and mutating admission. */
export interface RbacWrite<Kind> {
  readonly user: UserInfo;
  /** Group and plural name of the written object. */
  readonly resource: GroupResource;
  /** Namespace of the request; empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly object: Kind;
  /** The stored object; absent on creation. */
  readonly old?: Kind | undefined;
  /**
   * The work of the request. Default: without limits.
   *
   * @internal
   */
  readonly work?: Work | undefined;
}

/** A write of a role. */
export interface RoleWrite extends RbacWrite<ClusterRoleObject> {
  /** Name in the request's path; empty when there is none. */
  readonly requestName: string;
}

const FULL_AUTHORITY: readonly PolicyRule[] = [
  { apiGroups: [ALL], resources: [ALL], verbs: [ALL] },
  { nonResourceURLs: [ALL], verbs: [ALL] },
];

/** True for members of `system:masters`, whatever the policy is. */
const mayEscalate = ({ groups }: UserInfo): boolean => groups.includes(MASTERS_GROUP);

const hasAggregation = (role: ClusterRoleObject | undefined): boolean =>
  (role?.aggregationRule?.clusterRoleSelectors?.length ?? 0) > 0;

/**
 * Returns the message about the rules that a user lacks, or undefined when none are lacking.
 *
 * @throws ApiError (400) when the rules contain too many permissions to compare
 */
function* escalationText(
  user: UserInfo,
  { rules: owned, error }: EffectiveRules,
  requested: readonly PolicyRule[],
  work: Work,
): Steps<string | undefined> {
  const { covered, uncovered } = yield* coveringRulesInSteps(owned, requested, {}, work);
  if (covered) return undefined;
  const shown = yield* firstLines(yield* compactRules(uncovered, work), ruleText, work);
  const who = `user ${goQuote(user.username)} (groups=${quotedList(user.groups)})`;
  const unresolved = error === undefined ? '' : `; resolution errors: [${error}]`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${shown.join('\n')}${unresolved}`;
}

async function allows(
  authorize: Authorizer,
  attributes: Omit<Attributes, 'isResource' | 'apiVersion' | 'subresource' | 'path'>,
): Promise<boolean> {
  const { decision } = await authorize({ ...attributes, isResource: true, apiVersion: ALL, subresource: '', path: '' });
  return decision === 'Allow';
}

/**
 * Refuses a role with permissions that the user lacks.
 *
 * @throws ApiError 403 with the list of missing permissions
 */
export async function checkRoleEscalation(write: RoleWrite, ports: EscalationPorts): Promise<void> {
  const { user, resource, namespace, requestName, object, old, work = UNBOUNDED_WORK } = write;
  if (mayEscalate(user) || (await onlyCollectorFieldsDiffer(object, old, work))) return;
  const { group: apiGroup, resource: plural } = resource;
  if (
    await allows(ports.authorize, { user, verb: 'escalate', namespace, apiGroup, resource: plural, name: requestName })
  )
    return;
  const owned = ports.rulesFor(user, namespace);
  const name = object.metadata.name ?? '';
  const lacking = await inSlices(work, escalationText(user, owned, object.rules ?? [], work), 'admission');
  if (lacking !== undefined) throw errors.forbidden(resource, name, lacking);
  // An aggregated role can receive any rule, so only a user with all permissions can create, change or delete one.
  if (!hasAggregation(object) && !hasAggregation(old)) return;
  const { covered } = await inSlices(work, coveringRulesInSteps(owned.rules, FULL_AUTHORITY, {}, work), 'admission');
  if (!covered) {
    throw errors.forbidden(resource, name, 'must have cluster-admin privileges to use the aggregationRule');
  }
}

/**
 * Refuses a binding to a role with permissions that the user lacks.
 *
 * @throws ApiError 403 with the list of missing permissions; 404 when the role does not exist and the user lacks `bind`
 */
export async function checkBinding(write: RbacWrite<BindingObject>, ports: EscalationPorts): Promise<void> {
  const { user, resource, namespace, object, old, work = UNBOUNDED_WORK } = write;
  if (mayEscalate(user) || (await onlyCollectorFieldsDiffer(object, old, work))) return;
  const { roleRef } = object;
  const { apiGroup, name } = roleRef;
  const plural = ROLE_KINDS.get(roleRef.kind)?.plural;
  if (
    plural !== undefined &&
    (await allows(ports.authorize, { user, verb: 'bind', namespace, apiGroup, resource: plural, name }))
  )
    return;
  const owned = ports.rulesFor(user, namespace);
  const granted = ports.rulesOf(roleRef, namespace);
  const lacking = await inSlices(work, escalationText(user, owned, granted, work), 'admission');
  if (lacking !== undefined) throw errors.forbidden(resource, object.metadata.name ?? '', lacking);
}
