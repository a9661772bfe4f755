import { definedOnly, type Dialect } from '../../../../foundation/index.js';
import { autoupdateAnnotation, BOOTSTRAPPING, bootstrappingLabel, rbacGroup } from '../markers.js';
import type { BindingObject, ClusterRoleObject, RbacMeta, RoleObject } from '../types.js';
import { componentBindings, componentRoles, type ServedFeatures } from './component-roles.js';
import { controllerBindings, controllerRoles, namespacedRows } from './controller-roles.js';
import { pageBindings, pageRoles } from './page-roles.js';
import { commonBindings, commonRoles, userRoles } from './user-roles.js';
import { PolicyWords, type BindingRow, type RoleRow } from './words.js';

/** An object of the default policy that can be created. */
export type DefaultObject<Kind, Content> = Content & {
  readonly apiVersion: string;
  readonly kind: Kind;
  readonly metadata: RbacMeta & { readonly name: string };
};

/** The default roles and bindings of a server. */
export interface DefaultPolicy {
  readonly clusterRoles: readonly DefaultObject<'ClusterRole', ClusterRoleObject>[];
  readonly clusterRoleBindings: readonly DefaultObject<'ClusterRoleBinding', BindingObject>[];
  /** In the platform's own namespaces. */
  readonly roles: readonly DefaultObject<'Role', RoleObject>[];
  /** In the platform's own namespaces. */
  readonly roleBindings: readonly DefaultObject<'RoleBinding', BindingObject>[];
}

const byName = (a: { readonly name: string }, b: { readonly name: string }): number => (a.name < b.name ? -1 : 1);

/**
 * Returns the default roles and bindings of release 1.31, in the names of a dialect. Controller roles are limited to
 * the controllers that this server runs.
 */
export function defaultRbacPolicy(dialect: Dialect, served: ServedFeatures = {}): DefaultPolicy {
  const words = new PolicyWords(dialect);
  return policyOf(words, {
    roles: [...userRoles(words), ...commonRoles(words), ...componentRoles(words, served), ...controllerRoles(words)],
    bindings: [...commonBindings(words), ...componentBindings(words, served), ...controllerBindings(words)],
    namespaced: namespacedRows(words),
  });
}

/** Returns the roles and bindings that a server has in addition while it serves its page. */
export function pageRbacPolicy(dialect: Dialect): DefaultPolicy {
  const words = new PolicyWords(dialect);
  return policyOf(words, { roles: pageRoles(words), bindings: pageBindings(words), namespaced: [] });
}

/** The rows of a policy. */
interface PolicyRows {
  readonly roles: readonly RoleRow[];
  readonly bindings: readonly BindingRow[];
  readonly namespaced: ReturnType<typeof namespacedRows>;
}

/** Returns the objects of rows. */
function policyOf(words: PolicyWords, rows: PolicyRows): DefaultPolicy {
  const { dialect } = words;
  const group = rbacGroup(dialect);
  const apiVersion = `${group}/v1`;
  const metadata = (name: string, namespace?: string, labels: Readonly<Record<string, string>> = {}) => ({
    name,
    ...definedOnly({ namespace }),
    labels: { [bootstrappingLabel(dialect)]: BOOTSTRAPPING, ...labels },
    annotations: { [autoupdateAnnotation(dialect)]: 'true' },
  });
  const clusterRole = ({ name, rules, addsTo, sumOf }: RoleRow) => ({
    apiVersion,
    kind: 'ClusterRole' as const,
    metadata: metadata(name, undefined, addsTo === undefined ? {} : { [words.aggregationLabel(addsTo)]: 'true' }),
    ...definedOnly({
      rules,
      aggregationRule:
        sumOf === undefined
          ? undefined
          : { clusterRoleSelectors: [{ matchLabels: { [words.aggregationLabel(sumOf)]: 'true' } }] },
    }),
  });
  const clusterRoleBinding = ({ name, subjects }: BindingRow) => ({
    apiVersion,
    kind: 'ClusterRoleBinding' as const,
    metadata: metadata(name),
    subjects,
    roleRef: { apiGroup: group, kind: 'ClusterRole', name },
  });
  const { namespaced } = rows;
  return {
    clusterRoles: [...rows.roles].sort(byName).map(clusterRole),
    clusterRoleBindings: [...rows.bindings].sort(byName).map(clusterRoleBinding),
    roles: namespaced.map(({ namespace, role, rules }) => ({
      apiVersion,
      kind: 'Role' as const,
      metadata: metadata(role, namespace),
      rules,
    })),
    roleBindings: namespaced.map(({ namespace, role, binding = role, subjects }) => ({
      apiVersion,
      kind: 'RoleBinding' as const,
      metadata: metadata(binding, namespace),
      subjects,
      roleRef: { apiGroup: group, kind: 'Role', name: role },
    })),
  };
}
