/** By what a binding or a rule does not fit a request. */
export type MissDimension =
  /** The binding is for somebody else. */
  | 'subject'
  /** The binding holds in another namespace. */
  | 'namespace'
  /** The role of the binding is not there. */
  | 'role'
  /** The role of the binding has no rules. */
  | 'rules'
  /** The rule is for paths and the request for a resource, or the other way round: `resource` or `path` is wanted. */
  | 'kind'
  | 'verb'
  | 'apiGroup'
  | 'resource'
  | 'subresource'
  | 'name'
  /** The path of a request that is for no resource. */
  | 'path';

/** One thing by which a binding or a rule does not fit a request. */
export interface Miss {
  readonly in: MissDimension;
  /** What the request has; empty when it has none. */
  readonly wanted: string;
  /** What the binding or the rule has instead. */
  readonly offered: readonly string[];
}

/** A miss, and how near it is. */
export interface MeasuredMiss {
  readonly miss: Miss;
  /** As how many misses it counts. */
  readonly weight: number;
  /** How far what is offered is from what is wanted: 0 nothing, 1 altogether. */
  readonly distance: number;
}
