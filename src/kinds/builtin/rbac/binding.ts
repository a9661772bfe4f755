import { joinedSteps, pathSegment, type Dialect, type Steps, type Work } from '../../../foundation/index.js';
import type { Unvalidated } from '../../../registry/index.js';
import type { rbacV1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { builtinKind } from '../builtin-kind.js';
import { rbacGroupName } from './group.js';
import { validateBinding, validateBindingUpdate, type BindingRules } from './validate-binding.js';

type Binding = StoredKind<rbacV1.RoleBinding>;

/** Subject kinds of the RBAC group. Service accounts are in the core group, whose name is empty. */
const KINDS_OF_GROUP: ReadonlySet<string | undefined> = new Set(['User', 'Group']);

/** Sets the default groups of the role and the subjects. */
function defaultGroups({ roleRef, subjects }: Unvalidated<Binding>, { dialect }: { readonly dialect: Dialect }): void {
  const group = rbacGroupName(dialect);
  if (roleRef?.apiGroup === '') roleRef.apiGroup = group;
  for (const subject of subjects ?? []) {
    if ((subject.apiGroup ?? '') === '' && KINDS_OF_GROUP.has(subject.kind)) subject.apiGroup = group;
  }
}

const subjectsCell =
  (kind: string, text: (subject: rbacV1.Subject) => string) =>
  ({ subjects = [] }: Binding, work: Work): Steps<string> =>
    joinedSteps(
      subjects.filter((subject) => subject.kind === kind),
      text,
      ', ',
      work,
    );

const behaviourOf = (rules: BindingRules): Behaviour<rbacV1.RoleBinding> => ({
  strategy: {
    nameRule: pathSegment,
    allowCreateOnUpdate: true,
    defaults: defaultGroups,
    validate: (object, { dialect, work }) => validateBinding(object, rules, dialect, work),
    validateUpdate: (object, old) => validateBindingUpdate(object, old),
  },
  cells: {
    Role: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`,
    Users: subjectsCell('User', ({ name }) => name),
    Groups: subjectsCell('Group', ({ name }) => name),
    ServiceAccounts: subjectsCell('ServiceAccount', ({ namespace = '', name }) => `${namespace}/${name}`),
  },
});

/** Grants a Role or ClusterRole in the binding's namespace. */
export const RoleBinding = builtinKind<rbacV1.RoleBinding>('rbac.v1.RoleBinding', {
  behaviour: behaviourOf({ roleKinds: ['Role', 'ClusterRole'], namespaced: true }),
});

/** An object of the kind {@link RoleBinding}. */
export type RoleBinding = rbacV1.RoleBinding;

/** Grants a ClusterRole in the whole cluster. */
export const ClusterRoleBinding = builtinKind<rbacV1.ClusterRoleBinding>('rbac.v1.ClusterRoleBinding', {
  behaviour: behaviourOf({ roleKinds: ['ClusterRole'], namespaced: false }),
});

/** An object of the kind {@link ClusterRoleBinding}. */
export type ClusterRoleBinding = rbacV1.ClusterRoleBinding;
