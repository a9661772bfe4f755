import type { UserInfo } from '../meta/object.js';

/** What somebody may do with resources. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty: whatever the name. */
  readonly resourceNames: readonly string[];
}

/** What somebody may do with other paths. */
export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** Everything that an authorizer would allow somebody, as far as it can be listed. */
export interface UserRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** There may be more. */
  readonly incomplete: boolean;
  /** What went wrong; empty when nothing did. */
  readonly evaluationErrors: readonly string[];
}

/** Lists what an authorizer would allow a user in a namespace. */
export type RuleResolver = (user: UserInfo, namespace: string) => UserRules | Promise<UserRules>;

/** Nothing, and that is all. */
export const NO_RULES: UserRules = Object.freeze({ resourceRules: [], nonResourceRules: [], incomplete: false, evaluationErrors: [] });

/** The rules of several authorizers as one list. */
export function mergeRules(lists: readonly UserRules[]): UserRules {
  return {
    resourceRules: lists.flatMap((list) => list.resourceRules),
    nonResourceRules: lists.flatMap((list) => list.nonResourceRules),
    incomplete: lists.some((list) => list.incomplete),
    evaluationErrors: lists.flatMap((list) => list.evaluationErrors),
  };
}

/** What is said of an authorizer that cannot list its rules. */
export function unlistable(name: string): UserRules {
  return { ...NO_RULES, incomplete: true, evaluationErrors: [`${name} does not support user rule resolution`] };
}

/** All that there is to be allowed. */
export const ALL_RULES: UserRules = Object.freeze({
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
  evaluationErrors: [],
});
