import { pathSegment } from '../../../foundation/index.js';
import type { rbacV1 } from '../../types/index.js';
import { builtinKind } from '../builtin-kind.js';
import { validateAggregation, validateRules } from './validate-rules.js';

const shared = { nameRule: pathSegment, allowCreateOnUpdate: true };

/** Permissions in a namespace, granted by RoleBindings of that namespace. */
export const Role = builtinKind<rbacV1.Role>('rbac.v1.Role', {
  behaviour: { strategy: { ...shared, validate: ({ rules }, { work }) => validateRules(rules, true, work) } },
});

/** An object of the kind {@link Role}. */
export type Role = rbacV1.Role;

/**
 * Permissions on all namespaces, cluster-scoped resources and paths; or on one namespace when a RoleBinding grants it.
 */
export const ClusterRole = builtinKind<rbacV1.ClusterRole>('rbac.v1.ClusterRole', {
  behaviour: {
    strategy: {
      ...shared,
      *validate({ rules, aggregationRule }, { work }) {
        const errors = yield* validateRules(rules, false, work);
        if (aggregationRule !== undefined) yield* validateAggregation(errors, aggregationRule);
        return errors;
      },
    },
  },
});

/** An object of the kind {@link ClusterRole}. */
export type ClusterRole = rbacV1.ClusterRole;
