import { pathSegment } from '../../meta/names.js';
import type { ApiObject, StoredObject } from '../../meta/object.js';
import type { Dialect } from '../../names/dialect.js';
import { defineResource, type Column } from '../../registry/definition.js';
import type { Strategy } from '../../registry/strategy.js';
import { ageColumn, nameColumn, textColumn } from '../shared/columns.js';
import {
  clusterRoleBindingSchema,
  RBAC_GROUP,
  rbacGroupName,
  roleBindingSchema,
  type BindingFields,
  type SubjectFields,
} from './schema.js';
import { validateBinding, validateBindingUpdate, type BindingRules } from './validate-binding.js';

/** Subject kinds of the RBAC group. Service accounts are in the core group, whose name is empty. */
const KINDS_OF_GROUP: ReadonlySet<string> = new Set(['User', 'Group']);

/** Sets the default groups of the role and the subjects. */
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

const WIDE = 1;

function subjectColumn(name: string, kind: string, text: (subject: SubjectFields) => string): Column {
  const cell = (object: StoredObject): string => {
    const subjects = (object as StoredObject & BindingFields).subjects ?? [];
    return subjects
      .filter((subject) => subject.kind === kind)
      .map(text)
      .join(', ');
  };
  return textColumn(name, `Subjects of the kind ${kind}.`, cell, WIDE);
}

/** Table columns of both kinds of bindings. */
const bindingColumns: readonly Column[] = [
  nameColumn,
  textColumn('Role', 'Kind and name of the role.', (object) => {
    const { roleRef } = object as StoredObject & BindingFields;
    return `${roleRef.kind}/${roleRef.name}`;
  }),
  ageColumn,
  subjectColumn('Users', 'User', ({ name }) => name),
  subjectColumn('Groups', 'Group', ({ name }) => name),
  subjectColumn('ServiceAccounts', 'ServiceAccount', ({ namespace = '', name }) => `${namespace}/${name}`),
];

/** Grants a Role or ClusterRole in the binding's namespace. */
export const RoleBinding = defineResource({
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  scope: 'Namespaced',
  origin: 'builtin',
  lifecycle: { introduced: '1.8' },
  description: 'Grants a role to users, groups and service accounts in its namespace.',
  schema: roleBindingSchema,
  strategy: strategyOf({ roleKinds: ['Role', 'ClusterRole'], namespaced: true }),
  columns: bindingColumns,
});

/** Grants a ClusterRole in the whole cluster. */
export const ClusterRoleBinding = defineResource({
  group: RBAC_GROUP,
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
  origin: 'builtin',
  lifecycle: { introduced: '1.8' },
  description: 'Grants a cluster role to users, groups and service accounts in the whole cluster.',
  schema: clusterRoleBindingSchema,
  strategy: strategyOf({ roleKinds: ['ClusterRole'], namespaced: false }),
  columns: bindingColumns,
});
