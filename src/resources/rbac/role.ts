import { pathSegment } from '../../meta/names.js';
import type { StoredObject } from '../../meta/object.js';
import { defineResource } from '../../registry/definition.js';
import type { Strategy } from '../../registry/strategy.js';
import { clusterRoleSchema, RBAC_GROUP, roleSchema, type ClusterRoleFields, type RoleFields } from './schema.js';
import { validateAggregation, validateRules } from './validate-rules.js';

const shared: Strategy = { nameRule: pathSegment, allowCreateOnUpdate: true };

/** What may be done in a namespace, for bindings of that namespace. */
export const Role = defineResource({
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'Role',
  plural: 'roles',
  scope: 'Namespaced',
  origin: 'builtin',
  description: 'What may be done in its namespace. Rules only ever allow.',
  schema: roleSchema,
  strategy: { ...shared, validate: (object) => validateRules(object as StoredObject & RoleFields, true) },
});

/** What may be done in every namespace, outside of namespaces and on paths; or, bound in a namespace, in that one. */
export const ClusterRole = defineResource({
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
  origin: 'builtin',
  description: 'What may be done anywhere, or in a namespace that it is bound in. Rules only ever allow.',
  schema: clusterRoleSchema,
  strategy: {
    ...shared,
    validate(object) {
      const role = object as StoredObject & ClusterRoleFields;
      return [...validateRules(role, false), ...validateAggregation(role)];
    },
  },
});
