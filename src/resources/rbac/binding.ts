import { pathSegment } from '../../meta/names.js';
import type { ApiObject, StoredObject } from '../../meta/object.js';
import type { Dialect } from '../../names/dialect.js';
import { defineResource } from '../../registry/definition.js';
import type { Strategy } from '../../registry/strategy.js';
import { bindingColumns } from './binding-columns.js';
import {
  clusterRoleBindingSchema,
  RBAC_GROUP,
  rbacGroupName,
  roleBindingSchema,
  type BindingFields,
} from './schema.js';
import { validateBinding, validateBindingUpdate, type BindingRules } from './validate-binding.js';

/** Kinds of subjects that are of the group of access control. Accounts are of the core group, which is the empty text. */
const KINDS_OF_GROUP: ReadonlySet<string> = new Set(['User', 'Group']);

/** Fills in the groups of the role and of the subjects. */
function defaultGroups(object: ApiObject, { dialect }: { readonly dialect: Dialect }): void {
  const { roleRef, subjects } = object as ApiObject & BindingFields;
  const group = rbacGroupName(dialect);
  if (roleRef.apiGroup === '') roleRef.apiGroup = group;
  for (const subject of subjects ?? []) {
    if ((subject.apiGroup ?? '') === '' && KINDS_OF_GROUP.has(subject.kind)) subject.apiGroup = group;
  }
}

const strategyOf = (rules: BindingRules): Strategy => ({
  nameRule: pathSegment,
  allowCreateOnUpdate: true,
  defaults: defaultGroups,
  validate: (object, { dialect }) => validateBinding(object as StoredObject & BindingFields, rules, dialect),
  validateUpdate: (object, old) =>
    validateBindingUpdate(object as StoredObject & BindingFields, old as StoredObject & BindingFields),
});

/** Gives subjects a role in a namespace: a Role of the namespace, or a ClusterRole. */
export const RoleBinding = defineResource({
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  scope: 'Namespaced',
  origin: 'builtin',
  description: 'Gives users, groups and service accounts a role in its namespace.',
  schema: roleBindingSchema,
  strategy: strategyOf({ roleKinds: ['Role', 'ClusterRole'], namespaced: true }),
  columns: bindingColumns,
});

/** Gives subjects a ClusterRole everywhere. */
export const ClusterRoleBinding = defineResource({
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
  origin: 'builtin',
  description: 'Gives users, groups and service accounts a cluster role everywhere.',
  schema: clusterRoleBindingSchema,
  strategy: strategyOf({ roleKinds: ['ClusterRole'], namespaced: false }),
  columns: bindingColumns,
});
