import { pathSegment } from '../../meta/names.js';
import type { StoredObject } from '../../meta/object.js';
import { defineResource } from '../../registry/definition.js';
import type { Strategy } from '../../registry/strategy.js';
import { clusterRoleSchema, RBAC_GROUP, roleSchema, type ClusterRoleFields, type RoleFields } from './schema.js';
import { validateAggregation, validateRules } from './validate-rules.js';

const shared: Strategy = { nameRule: pathSegment, allowCreateOnUpdate: true };

/** Permissions in a namespace, granted by RoleBindings of that namespace. */
export const Role = defineResource({
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  scope: 'Namespaced',
  origin: 'builtin',
  lifecycle: { introduced: '1.8' },
  description: 'Permissions in its namespace. Rules only allow; there are no deny rules.',
  schema: roleSchema,
  strategy: { ...shared, validate: (object) => validateRules(object as StoredObject & RoleFields, true) },
});

/**
 * Permissions on all namespaces, cluster-scoped resources and paths; or on one namespace when a RoleBinding grants it.
 */
export const ClusterRole = defineResource({
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
  origin: 'builtin',
  lifecycle: { introduced: '1.8' },
  description:
    'Permissions in the whole cluster, or in the namespace of a role binding. Rules only allow; there are no deny rules.',
  schema: clusterRoleSchema,
  strategy: {
    ...shared,
    validate(object) {
      const role = object as StoredObject & ClusterRoleFields;
      return [...validateRules(role, false), ...validateAggregation(role)];
    },
  },
});
