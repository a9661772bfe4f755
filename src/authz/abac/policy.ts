/**
 * What one line of an ABAC policy file allows, as decisions look at it. Empty fields of the subject are not asked for; every
 * other field must be equal, or `*`.
 */
export interface AbacPolicy {
  /** User name. `*` is everybody, anonymous users too; the `*` of a file is read as the group of all authenticated users. */
  readonly user: string;
  /** Group; `*` as with `user`. When both are given, both must match; when neither is, the policy matches nobody. */
  readonly group: string;
  /** Only `get`, `list` and `watch`; of other paths, only GET. */
  readonly readonly: boolean;
  /** Namespace of the request; requests without one have the empty namespace. */
  readonly namespace: string;
  /** API group; the core group is the empty string. */
  readonly apiGroup: string;
  /** Plural name. Subresources are not told apart. */
  readonly resource: string;
  /** Path, `*`, or a beginning of paths with a `*` at its end. */
  readonly nonResourcePath: string;
}

/** What stands for every value of a field. */
export const ANY = '*';
