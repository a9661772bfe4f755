import type { ObjectMeta } from '../../foundation/index.js';
import type { Amounts } from './amounts.js';

/** The part of an object that quotas of any kind use. */
export interface MeasuredObject {
  readonly metadata: ObjectMeta;
}

/** A requirement of a quota on the objects that it counts, in the form of its `scopeSelector`. */
export interface ScopeRequirement {
  readonly scopeName: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/** Measures the objects of one kind for quotas. */
export interface QuotaEvaluator<Item extends MeasuredObject = MeasuredObject> {
  /** Full name of the group; empty for the core group. */
  readonly group: string;
  /** Plural name of the kind. */
  readonly resource: string;
  /** Returns whether an object can use the resource of a quota, such as `pods` or `requests.cpu`. */
  measures(name: string): boolean;
  /** Returns whether an object meets a requirement. Kinds without scopes meet none. */
  isInScope(object: Item, scope: ScopeRequirement): boolean;
  /**
   * Returns what an object uses.
   *
   * @param nowMs current time, in milliseconds since the epoch: an object may stop using something without a change
   */
  usage(object: Item, nowMs: number): Amounts;
  /**
   * Returns why a new object cannot be counted by a quota with these resources, in Kubernetes' words; undefined when it
   * can. For the admission of objects.
   */
  refusal?(object: Item, resources: readonly string[]): string | undefined;
}

/** The part of a quota that says which objects it counts. */
export interface ScopedQuota {
  readonly scopes?: readonly string[] | undefined;
  readonly scopeSelector?: { readonly matchExpressions?: readonly ScopeRequirement[] | undefined } | undefined;
}

/** Returns the requirements of a quota on the objects that it counts. */
export const requirementsOf = ({ scopes = [], scopeSelector }: ScopedQuota): readonly ScopeRequirement[] => [
  ...scopes.map((scopeName) => ({ scopeName, operator: 'Exists' })),
  ...(scopeSelector?.matchExpressions ?? []),
];

/** Returns whether a quota counts an object: it meets all requirements of the quota. */
export const isCounted = <Item extends MeasuredObject>(
  evaluator: QuotaEvaluator<Item>,
  object: Item,
  quota: ScopedQuota,
): boolean => requirementsOf(quota).every((requirement) => evaluator.isInScope(object, requirement));

/** Returns the name under which a quota counts all objects of a kind: `count/deployments.apps`. */
export const countName = (group: string, resource: string): string =>
  group === '' ? `count/${resource}` : `count/${resource}.${group}`;
