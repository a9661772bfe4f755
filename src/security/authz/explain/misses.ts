/** The aspect in which a binding or rule does not match a request. */
export type MissDimension =
  /** The binding has other subjects. */
  | 'subject'
  /** The binding applies in another namespace. */
  | 'namespace'
  /** The role of the binding does not exist. */
  | 'role'
  /** The role of the binding has no rules. */
  | 'rules'
  /** The rule is for paths and the request for a resource, or the reverse: `resource` or `path` is wanted. */
  | 'kind'
  | 'verb'
  | 'apiGroup'
  | 'resource'
  | 'subresource'
  | 'name'
  /** The path of a non-resource request. */
  | 'path';

/** One mismatch of a binding or rule with a request. */
export interface Miss {
  readonly in: MissDimension;
  /** Value of the request; empty when it has none. */
  readonly wanted: string;
  /** Values of the binding or rule. */
  readonly offered: readonly string[];
}

/** A mismatch and its distance. */
export interface MeasuredMiss {
  readonly miss: Miss;
  /** Number of misses that it counts as. */
  readonly weight: number;
  /** Distance from the wanted value: 0 is equal, 1 is unrelated. */
  readonly distance: number;
}
