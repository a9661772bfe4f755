/**
 * Labels and annotations of RBAC objects that the server maintains.
 *
 * @module
 */
import { groupName, systemGroup, type Dialect } from '../../../foundation/index.js';

/** Returns the name of the RBAC API group. */
export const rbacGroup = (dialect: Dialect): string => groupName(systemGroup('rbac.authorization'), dialect);

/** Returns the label of default roles and bindings. Its value is {@link BOOTSTRAPPING}. */
export const bootstrappingLabel = (dialect: Dialect): string => `${dialect.labelDomain}/bootstrapping`;

/** Value of {@link bootstrappingLabel}. */
export const BOOTSTRAPPING = 'rbac-defaults';

/** Returns the annotation that protects a default role or binding from automatic updates with the value `false`. */
export const autoupdateAnnotation = (dialect: Dialect): string =>
  `rbac.authorization.${dialect.labelDomain}/autoupdate`;

/** User-facing roles that aggregate other cluster roles. */
export type AggregatedRole = 'admin' | 'edit' | 'view';

/** Returns the label that adds the rules of a cluster role to a user-facing role with the value `true`. */
export const aggregationLabel = (dialect: Dialect, role: AggregatedRole): string =>
  `${rbacGroup(dialect)}/aggregate-to-${role}`;
