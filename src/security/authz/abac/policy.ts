/** The decoded policy of one line. Empty subject fields are ignored; every other field must be equal, or `*`. */
export interface AbacPolicy {
  /**
   * User name. `*` matches every user, also anonymous ones. A `*` in a file is read as the group of all authenticated
   * users.
   */
  readonly user: string;
  /**
   * Group; `*` as for `user`. When user and group are given, both must match; when neither is, the policy matches no
   * user.
   */
  readonly group: string;
  /** Allows only `get`, `list` and `watch`; on paths only GET. */
  readonly readonly: boolean;
  /** Namespace. Cluster-scoped requests have the empty namespace. */
  readonly namespace: string;
  /** API group; the core group is the empty string. */
  readonly apiGroup: string;
  /** Plural name. It includes all subresources. */
  readonly resource: string;
  /** Path, path prefix with a final `*`, or `*`. */
  readonly nonResourcePath: string;
}

/** Matches every value of a field. */
export const ANY = '*';
