import type { UserInfo } from '../meta/object.js';

/** What somebody may do with resources. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  /** Absent: whatever the name. */
  readonly resourceNames?: readonly string[];
}

/** What somebody may do with other paths. */
export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** Everything that an authorizer would allow somebody, as far as it can be listed. */
export interface UserRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** There may be more. */
  readonly incomplete: boolean;
  /** What went wrong; absent when nothing did. */
  readonly error?: string | undefined;
}

/** Lists what an authorizer would allow a user in a namespace. */
export type RuleResolver = (user: UserInfo, namespace: string) => UserRules | Promise<UserRules>;

/** Nothing, and that is all. */
export const NO_RULES: UserRules = Object.freeze({ resourceRules: [], nonResourceRules: [], incomplete: false });

/** The rules of several authorizers as one list. */
export function mergeRules(lists: readonly UserRules[]): UserRules {
  const failures = lists.flatMap(({ error }) => error ?? []);
  return {
    resourceRules: lists.flatMap((list) => list.resourceRules),
    nonResourceRules: lists.flatMap((list) => list.nonResourceRules),
    incomplete: lists.some((list) => list.incomplete),
    ...(failures.length === 0 ? {} : { error: failures.join('\n') }),
  };
}

/** What is said of an authorizer that cannot list its rules. */
export function unlistable(name: string): UserRules {
  return { ...NO_RULES, incomplete: true, error: `${name} does not support user rule resolution` };
}

/** All that there is to be allowed. */
export const ALL_RULES: UserRules = Object.freeze({
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
});
