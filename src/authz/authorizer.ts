/**
 * Who may do it: authorizers are plain functions, and compose. The default is deny: a request that nobody allows is
 * refused.
 *
 * @module
 */
import type { UserInfo } from '../meta/object.js';
import type { Attributes } from './attributes.js';
import { ALL_RULES, mergeRules, NO_RULES, unlistable, type RuleResolver, type UserRules } from './rules.js';

/** What an authorizer says. */
export interface Decision {
  /** `NoOpinion` leaves it to the next authorizer. */
  readonly decision: 'Allow' | 'Deny' | 'NoOpinion';
  /** Why; for reviews and the log, never in the answer to a request that is refused. Empty when there is nothing to say. */
  readonly reason: string;
  /** What went wrong while deciding. The decision holds nevertheless. */
  readonly error?: Error;
}

/** Decides about a request. */
export interface Authorizer {
  (attributes: Attributes): Decision | Promise<Decision>;
  /** Lists what a user may do, for reviews of rules; without it the list is said to be incomplete. */
  readonly rulesFor?: RuleResolver;
}

/** An authorizer that can list its rules. */
export function withRules(authorize: Authorizer, rulesFor: RuleResolver): Authorizer {
  return Object.assign((attributes: Attributes) => authorize(attributes), { rulesFor });
}

/** What a user may do in a namespace, as far as the authorizer can list it. */
export function rulesOf(authorize: Authorizer, user: UserInfo, namespace: string): UserRules | Promise<UserRules> {
  return authorize.rulesFor?.(user, namespace) ?? unlistable('the authorizer');
}

/** Allowed, without words. */
export const ALLOW: Decision = Object.freeze({ decision: 'Allow', reason: '' });
/** No opinion, without words. */
export const NO_OPINION: Decision = Object.freeze({ decision: 'NoOpinion', reason: '' });

const FORBIDDEN: Decision = Object.freeze({ decision: 'NoOpinion', reason: 'Everything is forbidden.' });

/** Group whose members may do everything. */
export const MASTERS_GROUP = 'system:masters';

/** Allows everything. Insecure: for tests, and for processes that own their server. */
export const alwaysAllow: Authorizer = withRules(
  () => ALLOW,
  () => ALL_RULES,
);

/** Allows nothing. It has no opinion, as in the production system, so that an authorizer after it may still allow. */
export const alwaysDeny: Authorizer = withRules(
  () => FORBIDDEN,
  () => NO_RULES,
);

/** Allows everything to members of {@link MASTERS_GROUP}, so that a broken policy can be mended. */
export const mastersAuthorizer: Authorizer = withRules(
  ({ user }) => (user.groups.includes(MASTERS_GROUP) ? ALLOW : NO_OPINION),
  ({ groups }) => (groups.includes(MASTERS_GROUP) ? ALL_RULES : NO_RULES),
);

/**
 * Asks in order; the first that allows or denies decides. Without one there is no opinion, with the reasons of all, one a
 * line. Stays synchronous as long as the authorizers do.
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

/** Two opinions that decide nothing, as one. */
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
