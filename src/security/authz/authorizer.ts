/**
 * Authorization. Authorizers are plain functions that compose. The default is deny: a request that no authorizer allows
 * is refused.
 *
 * @module
 */
import type { UserInfo } from '../../foundation/index.js';
import type { Attributes } from './attributes.js';
import { ALL_RULES, mergeRules, NO_RULES, unlistable, type RuleResolver, type UserRules } from './rules.js';

/** The answer of an authorizer. */
export interface Decision {
  /** `NoOpinion` passes the request to the next authorizer. */
  readonly decision: 'Allow' | 'Deny' | 'NoOpinion';
  /** The reason, for reviews and the log. A refused client never sees it. Empty when there is no reason. */
  readonly reason: string;
  /** An error during the decision. The decision still applies. */
  readonly error?: Error | undefined;
}

/** Decides whether a request is allowed. */
export interface Authorizer {
  (attributes: Attributes): Decision | Promise<Decision>;
  /** Lists the rules of a user for rules reviews. Without it, a review reports an incomplete list. */
  readonly rulesFor?: ((user: UserInfo, namespace: string) => UserRules | Promise<UserRules>) | undefined;
}

/** Returns an authorizer that can list its rules. */
export function withRules(authorize: Authorizer, rulesFor: RuleResolver): Authorizer {
  return Object.assign((attributes: Attributes) => authorize(attributes), { rulesFor });
}

/** Returns the rules of a user in a namespace, as far as the authorizer can list them. */
export function rulesOf(authorize: Authorizer, user: UserInfo, namespace: string): UserRules | Promise<UserRules> {
  return authorize.rulesFor?.(user, namespace) ?? unlistable('the authorizer');
}

/** An Allow decision without a reason. */
export const ALLOW: Decision = Object.freeze({ decision: 'Allow', reason: '' });
/** A NoOpinion decision without a reason. */
export const NO_OPINION: Decision = Object.freeze({ decision: 'NoOpinion', reason: '' });

const FORBIDDEN: Decision = Object.freeze({ decision: 'NoOpinion', reason: 'Everything is forbidden.' });

/** Group whose members are allowed everything. */
export const MASTERS_GROUP = 'system:masters';

/** Name of the RBAC authorizer. */
export const RBAC_AUTHORIZER = 'RBAC';

/** Allows everything. Insecure: meant for tests, and for processes that own their server. */
export const alwaysAllow: Authorizer = withRules(
  () => ALLOW,
  () => ALL_RULES,
);

/** Allows nothing. Returns NoOpinion, as Kubernetes does, so a later authorizer can still allow the request. */
export const alwaysDeny: Authorizer = withRules(
  () => FORBIDDEN,
  () => NO_RULES,
);

/** Allows everything to members of {@link MASTERS_GROUP}, so a broken policy can be repaired. */
export const mastersAuthorizer: Authorizer = withRules(
  ({ user }) => (user.groups.includes(MASTERS_GROUP) ? ALLOW : NO_OPINION),
  ({ groups }) => (groups.includes(MASTERS_GROUP) ? ALL_RULES : NO_RULES),
);

/**
 * Returns an authorizer that asks several in order. The first Allow or Deny decides. Otherwise the result is NoOpinion
 * with all reasons, one per line. The result is synchronous as long as the authorizers are.
 */
export function unionAuthorizers(authorizers: readonly Authorizer[]): Authorizer {
  const [only] = authorizers;
  if (only !== undefined && authorizers.length === 1) return only;
  const rulesFor: RuleResolver = async (user, namespace) =>
    mergeRules(await Promise.all(authorizers.map(async (authorizer) => rulesOf(authorizer, user, namespace))));
  return Object.assign(decideBy(authorizers), { rulesFor });
}

function decideBy(authorizers: readonly Authorizer[]): (attributes: Attributes) => Decision | Promise<Decision> {
  return (attributes) => {
    let undecided = NO_OPINION;
    for (let index = 0; index < authorizers.length; index += 1) {
      const decision = authorizers[index]?.(attributes) ?? NO_OPINION;
      if (decision instanceof Promise) return decideRest(authorizers, attributes, index + 1, undecided, decision);
      if (decision.decision !== 'NoOpinion') return decision;
      undecided = merged(undecided, decision);
    }
    return undecided;
  };
}

async function decideRest(
  authorizers: readonly Authorizer[],
  attributes: Attributes,
  next: number,
  before: Decision,
  pending: Promise<Decision>,
): Promise<Decision> {
  let undecided = before;
  let decision = await pending;
  for (let index = next; ; index += 1) {
    if (decision.decision !== 'NoOpinion') return decision;
    undecided = merged(undecided, decision);
    const authorizer = authorizers[index];
    if (authorizer === undefined) return undecided;
    decision = await authorizer(attributes);
  }
}

/** Merges two NoOpinion decisions. */
function merged(before: Decision, decision: Decision): Decision {
  if (decision.reason === '' && decision.error === undefined) return before;
  if (before === NO_OPINION) return decision;
  const reason = [before.reason, decision.reason].filter((text) => text !== '').join('\n');
  const failures = [before.error, decision.error].filter((error) => error !== undefined);
  const [failure] = failures;
  if (failure === undefined) return { decision: 'NoOpinion', reason };
  const error =
    failures.length === 1
      ? failure
      : new AggregateError(failures, `[${failures.map(({ message }) => message).join(', ')}]`);
  return { decision: 'NoOpinion', reason, error };
}
