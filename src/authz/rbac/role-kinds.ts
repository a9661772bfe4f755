import type { GroupResource } from '../../meta/api-error.js';
import { goQuote } from '../../meta/go-text.js';

/** A kind of role that bindings may refer to. */
interface RoleKind {
  readonly singular: string;
  readonly plural: string;
  /** A Role is in the namespace of its binding. */
  readonly namespaced: boolean;
}

/** The kinds of roles, by the name that a reference has for them. */
export const ROLE_KINDS: ReadonlyMap<string, RoleKind> = new Map([
  ['Role', { singular: 'role', plural: 'roles', namespaced: true }],
  ['ClusterRole', { singular: 'clusterrole', plural: 'clusterroles', namespaced: false }],
]);

/** Group and plural name of a kind of role. */
export function roleResource(kind: string, group: string): GroupResource {
  return { group, resource: ROLE_KINDS.get(kind)?.plural ?? kind };
}

/** The words about a reference to something that is no role. */
export function unsupportedRoleText(kind: string): string {
  return `unsupported role reference kind: ${goQuote(kind)}`;
}
