import * as z from 'zod';
import { groupName, systemGroup, type Dialect } from '../../names/dialect.js';
import { always, atomicList, optional, omitted, struct } from '../../schema/vocabulary.js';
import type { LabelSelectorObject } from '../../selectors/labels.js';
import { unsetIsNull } from '../shared/facts.js';
import { labelSelector } from '../shared/label-selector.js';
import { once } from '../shared/once.js';

/** The API group of RBAC. */
export const RBAC_GROUP = systemGroup('rbac.authorization');

/** Returns the name of the RBAC group, which references to roles and subjects contain. */
export const rbacGroupName = (dialect: Dialect): string => groupName(RBAC_GROUP, dialect);

const policyRule = once(() =>
  struct('PolicyRule', {
    verbs: always(1, atomicList(z.string()), { description: 'Allowed verbs; * for all.' }),
    apiGroups: omitted(2, atomicList(z.string()), {
      description: 'API groups of the resources; empty for the core group, * for all.',
    }),
    resources: omitted(3, atomicList(z.string()), {
      description:
        'Plural names of resources, resource/subresource, */subresource for the subresource of all resources, or * for all.',
    }),
    resourceNames: omitted(4, atomicList(z.string()), { description: 'Object names; empty for all.' }),
    nonResourceURLs: omitted(5, atomicList(z.string()), {
      description:
        'Paths that are not resources, with a trailing * for everything below. For cluster roles only, and not together with resources.',
    }),
  }),
);

const rules = () =>
  unsetIsNull(2, atomicList(policyRule()), { description: 'Rules of the role: the requests that it allows.' });

const subject = once(() =>
  struct(
    'Subject',
    {
      kind: always(1, z.string(), { description: 'User, Group or ServiceAccount.' }),
      apiGroup: omitted(2, z.string(), {
        description: 'API group of the kind: empty for a ServiceAccount, the RBAC group otherwise.',
      }),
      name: always(3, z.string(), {
        description: 'Name of the user, group or account. Case-sensitive.',
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
          description: 'Selects the aggregated cluster roles by label. A role must match at least one selector.',
        }),
      }),
      {
        description:
          'Makes the rules the union of the rules of other cluster roles. Only the control plane then writes the rules.',
      },
    ),
  }),
);

const bindingFields = () => ({
  subjects: omitted(2, atomicList(subject()), { description: 'Users, groups and service accounts that get the role.' }),
  roleRef: always(3, roleRef(), { description: 'The role. Immutable.' }),
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
/** The fields of a ClusterRole, with the selector type of the selectors module. */
export type ClusterRoleFields = RoleFields & {
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelectorObject[] };
};
/** The fields of a binding of either kind. */
export type BindingFields = z.output<ReturnType<typeof roleBindingSchema>>;
