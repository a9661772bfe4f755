/** The operators of requirements on scopes. */
export const scopeOperators = [
  'In',
  'NotIn',
  'Exists',
  'DoesNotExist',
] as const satisfies readonly LimitedScope['operator'][];

/** A requirement on the scope of an object, as in the selector of a quota. */
export interface LimitedScope {
  /** Such as `PriorityClass`. */
  readonly scopeName: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[] | undefined;
}

/** A resource that only those may consume whose namespace has a quota for it. */
export interface LimitedResource {
  /** API group of the kind that consumes the resource. Default the core group. */
  readonly apiGroup?: string | undefined;
  /** The kind, by its plural name: `pods`. */
  readonly resource: string;
  /** Parts of names of resources: `storage` matches `requests.storage`. Default none. */
  readonly matchContains?: readonly string[] | undefined;
  /** Scopes that a quota must have whose object has them. Default none. */
  readonly matchScopes?: readonly LimitedScope[] | undefined;
}

/** Options of the plugin ResourceQuota. */
export interface ResourceQuotaOptions {
  /** The resources that are refused without a quota that covers them. Default none. */
  readonly limitedResources?: readonly LimitedResource[] | undefined;
}
