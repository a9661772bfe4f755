/**
 * Builds roles and bindings that can be applied to a server of this package or any other.
 *
 * @module
 */
import { apiVersionOf, parseServiceAccountUsername, type Dialect, type UserInfo } from '../../../foundation/index.js';
import { rbacGroup } from '../rbac/markers.js';

/** A rule of a role to apply. */
export interface RuleManifest {
  verbs: string[];
  apiGroups?: string[] | undefined;
  resources?: string[] | undefined;
  resourceNames?: string[] | undefined;
  nonResourceURLs?: string[] | undefined;
}

/** A Role or ClusterRole to apply. */
export interface RoleManifest {
  apiVersion: string;
  kind: 'Role' | 'ClusterRole';
  /** Only a Role has a namespace. */
  metadata: { name: string; namespace?: string | undefined };
  rules: RuleManifest[];
}

/** A subject of a binding to apply. */
export interface SubjectManifest {
  kind: 'User' | 'Group' | 'ServiceAccount';
  name: string;
  apiGroup?: string | undefined;
  namespace?: string | undefined;
}

/** A RoleBinding or ClusterRoleBinding to apply. */
export interface BindingManifest {
  apiVersion: string;
  kind: 'RoleBinding' | 'ClusterRoleBinding';
  metadata: { name: string; namespace?: string | undefined };
  subjects: SubjectManifest[];
  roleRef: { apiGroup: string; kind: 'Role' | 'ClusterRole'; name: string };
}

const VERSION = 'v1';
const MAX_NAME = 200;

const metadataOf = (name: string, namespace: string): { name: string; namespace?: string | undefined } =>
  namespace === '' ? { name } : { name, namespace };

/** Returns a Role, or a ClusterRole when the namespace is empty. */
export function roleManifest(dialect: Dialect, namespace: string, name: string, rules: RuleManifest[]): RoleManifest {
  return {
    apiVersion: apiVersionOf(rbacGroup(dialect), VERSION),
    kind: namespace === '' ? 'ClusterRole' : 'Role',
    metadata: metadataOf(name, namespace),
    rules,
  };
}

/** Returns the binding of a role to a subject, in the scope of the role. */
export function bindingManifest(
  dialect: Dialect,
  role: RoleManifest,
  name: string,
  subject: SubjectManifest,
): BindingManifest {
  const { namespace = '' } = role.metadata;
  const apiGroup = rbacGroup(dialect);
  return {
    apiVersion: apiVersionOf(apiGroup, VERSION),
    kind: namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: metadataOf(name, namespace),
    subjects: [{ ...subject }],
    roleRef: { apiGroup, kind: role.kind, name: role.metadata.name },
  };
}

/**
 * Returns the subject for a user: by name, or without a name by the first group. Undefined when the user has neither.
 */
export function subjectOf(dialect: Dialect, { username, groups }: UserInfo): SubjectManifest | undefined {
  const account = parseServiceAccountUsername(username);
  if (account !== undefined) return { kind: 'ServiceAccount', ...account };
  const [group] = groups;
  if (username === '' && group === undefined) return undefined;
  return username === ''
    ? { kind: 'Group', apiGroup: rbacGroup(dialect), name: group ?? '' }
    : { kind: 'User', apiGroup: rbacGroup(dialect), name: username };
}

/** Returns the user's part of object names: `alice`, or `shop-robot` for an account of namespace shop. */
export function nameOfUser({ username, groups }: UserInfo): string {
  const account = parseServiceAccountUsername(username);
  return account === undefined ? username || (groups[0] ?? 'nobody') : `${account.namespace}-${account.name}`;
}

/** Joins words to an object name without characters that are invalid in paths and file names. */
export function objectName(words: readonly string[]): string {
  const text = words
    .filter((word) => word !== '')
    .join('-')
    .slice(0, MAX_NAME)
    .toLowerCase();
  return text.replaceAll(/[^a-z0-9.]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '') || 'access';
}

/** Returns the first of `name`, `name-2`, `name-3` … that is free. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let number = 2; isTaken(free); number += 1) free = `${name}-${number}`;
  return free;
}
