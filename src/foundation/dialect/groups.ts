/** The suffixes of built-in API groups in the included dialects, for code that needs no other names. */
export const groupSuffixes = Object.freeze({ orch: 'orch.io', kubernetes: 'k8s.io' });

/** The names of groups in a dialect. */
export interface DialectGroups {
  /** Suffix of built-in API groups: `coordination` is served as `coordination.<groupSuffix>`. */
  readonly groupSuffix: string;
}

/** A built-in API group, whose full name depends on the dialect. */
export interface SystemGroup {
  /** First part of the group's name, e.g. `coordination` or `rbac.authorization`. */
  readonly system: string;
}

/** Marks a group as built-in: `systemGroup('coordination')` is served as `coordination.<groupSuffix>`. */
export function systemGroup(system: string): SystemGroup {
  return Object.freeze({ system });
}

/** Returns the full name of a group in a dialect; the core group is the empty string. */
export function groupName(group: string | SystemGroup, dialect: { readonly groupSuffix: string }): string {
  return typeof group === 'string' ? group : `${group.system}.${dialect.groupSuffix}`;
}
