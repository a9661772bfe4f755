import { goQuote, type GroupResource } from '../../../foundation/index.js';

/** A kind of role that bindings can refer to. */
interface RoleKind {
  readonly singular: string;
  readonly plural: string;
  /** True when the role is in the namespace of its binding. */
  readonly namespaced: boolean;
}

/** Kinds of roles, by the kind in a role reference. */
export const ROLE_KINDS: ReadonlyMap<string, RoleKind> = new Map([
  ['Role', { singular: 'role', plural: 'roles', namespaced: true }],
  ['ClusterRole', { singular: 'clusterrole', plural: 'clusterroles', namespaced: false }],
]);

/** Returns group and plural name of a kind of role. */
export function roleResource(kind: string, group: string): GroupResource {
  return { group, resource: ROLE_KINDS.get(kind)?.plural ?? kind };
}

/** Returns the message for a reference to another kind. */
export function unsupportedRoleText(kind: string): string {
  return `unsupported role reference kind: ${goQuote(kind)}`;
}
