import type { UserInfo } from '../../foundation/index.js';

/** A rule that allows verbs on resources. */
export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  /** Absent: every name. */
  readonly resourceNames?: readonly string[] | undefined;
}

/** A rule that allows verbs on non-resource paths. */
export interface NonResourceRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs?: readonly string[] | undefined;
}

/** The rules by which an authorizer allows a user's requests, as far as they can be listed. */
export interface UserRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
  /** True when the list can lack rules. */
  readonly incomplete: boolean;
  /** Error while listing; absent when there was none. */
  readonly error?: string | undefined;
}

/** Lists the rules of a user in a namespace. */
export type RuleResolver = (user: UserInfo, namespace: string) => UserRules | Promise<UserRules>;

/** An empty and complete list. */
export const NO_RULES: UserRules = Object.freeze({ resourceRules: [], nonResourceRules: [], incomplete: false });

/** Merges the rules of several authorizers. */
export function mergeRules(lists: readonly UserRules[]): UserRules {
  const failures = lists.flatMap(({ error }) => error ?? []);
  return {
    resourceRules: lists.flatMap((list) => list.resourceRules),
    nonResourceRules: lists.flatMap((list) => list.nonResourceRules),
    incomplete: lists.some((list) => list.incomplete),
    ...(failures.length === 0 ? {} : { error: failures.join('\n') }),
  };
}

/** Returns the answer of an authorizer that cannot list its rules. */
export function unlistable(name: string): UserRules {
  return { ...NO_RULES, incomplete: true, error: `${name} does not support user rule resolution` };
}

/** Rules that allow everything. */
export const ALL_RULES: UserRules = Object.freeze({
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
});
