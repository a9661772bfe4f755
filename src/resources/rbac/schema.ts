import * as z from 'zod';
import { groupName, systemGroup, type Dialect } from '../../names/dialect.js';
import { always, atomicList, optional, omitted, struct } from '../../schema/vocabulary.js';
import type { LabelSelectorObject } from '../../selectors/labels.js';
import { unsetIsNull } from '../shared/facts.js';
import { labelSelector } from '../shared/label-selector.js';
import { once } from '../shared/once.js';

/** The group of the four kinds. */
export const RBAC_GROUP = systemGroup('rbac.authorization');

/** The group's name, which references to roles and subjects carry. */
export const rbacGroupName = (dialect: Dialect): string => groupName(RBAC_GROUP, dialect);

const policyRule = once(() =>
  struct('PolicyRule', {
    verbs: always(1, atomicList(z.string()), { description: 'What may be done; * is everything.' }),
    apiGroups: omitted(2, atomicList(z.string()), {
      description: 'Groups of the resources; the empty text is the core group, * is every group.',
    }),
    resources: omitted(3, atomicList(z.string()), {
      description:
        'Plural names of resources, resource/subresource, */subresource for that of every resource, or * for everything.',
    }),
    resourceNames: omitted(4, atomicList(z.string()), { description: 'Names of the objects; none means all of them.' }),
    nonResourceURLs: omitted(5, atomicList(z.string()), {
      description:
        'Paths that are no resources, with a trailing * for everything below. For cluster roles only, and not together with resources.',
    }),
  }),
);

const rules = () => unsetIsNull(2, atomicList(policyRule()), { description: 'What the role allows.' });

const subject = once(() =>
  struct(
    'Subject',
    {
      kind: always(1, z.string(), { description: 'User, Group or ServiceAccount.' }),
      apiGroup: omitted(2, z.string(), {
        description: 'Group of the kind: none for a ServiceAccount, the group of access control otherwise.',
      }),
      name: always(3, z.string(), {
        description: 'Name of the user, group or account. Upper and lower case are different.',
      }),
      namespace: omitted(4, z.string(), { description: 'Namespace of a ServiceAccount.' }),
    },
    { mapType: 'atomic' },
  ),
);

const roleRef = once(() =>
  struct(
    'RoleRef',
    {
      apiGroup: always(1, z.string(), { description: 'Group of the role.' }),
      kind: always(2, z.string(), { description: 'Role or ClusterRole.' }),
      name: always(3, z.string(), { description: 'Name of the role.' }),
    },
    { mapType: 'atomic' },
  ),
);

/** Fields of a Role. */
export const roleSchema = once(() => struct('Role', { rules: rules() }));

/** Fields of a ClusterRole. */
export const clusterRoleSchema = once(() =>
  struct('ClusterRole', {
    rules: rules(),
    aggregationRule: optional(
      3,
      struct('AggregationRule', {
        clusterRoleSelectors: omitted(1, atomicList(labelSelector()), {
          description: 'Cluster roles whose rules this one has, by label; one selector is enough.',
        }),
      }),
      {
        description:
          'Makes the rules the sum of those of other cluster roles. They are then written by the control plane alone.',
      },
    ),
  }),
);

const bindingFields = () => ({
  subjects: omitted(2, atomicList(subject()), { description: 'Who may do what the role allows.' }),
  roleRef: always(3, roleRef(), { description: 'The role. Cannot be changed.' }),
});

/** Fields of a RoleBinding. */
export const roleBindingSchema = once(() => struct('RoleBinding', bindingFields()));

/** Fields of a ClusterRoleBinding. */
export const clusterRoleBindingSchema = once(() => struct('ClusterRoleBinding', bindingFields()));

/** A rule as it is stored. */
export type PolicyRuleFields = z.output<ReturnType<typeof policyRule>>;
/** A subject as it is stored. */
export type SubjectFields = z.output<ReturnType<typeof subject>>;
/** The fields of a Role. */
export type RoleFields = z.output<ReturnType<typeof roleSchema>>;
/** The fields of a ClusterRole, with selectors as the module of selectors takes them. */
export type ClusterRoleFields = RoleFields & {
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelectorObject[] };
};
/** The fields of a binding of either kind. */
export type BindingFields = z.output<ReturnType<typeof roleBindingSchema>>;
