/**
 * Labels and annotations of access control: they mark the objects that the server keeps by itself.
 *
 * @module
 */
import { groupName, systemGroup, type Dialect } from '../../names/dialect.js';

/** Name of the group of access control. */
export const rbacGroup = (dialect: Dialect): string => groupName(systemGroup('rbac.authorization'), dialect);

/** Label of the roles and bindings that a server has from the start, with the value {@link BOOTSTRAPPING}. */
export const bootstrappingLabel = (dialect: Dialect): string => `${dialect.labelDomain}/bootstrapping`;

/** Value of {@link bootstrappingLabel}. */
export const BOOTSTRAPPING = 'rbac-defaults';

/** Annotation that with the value `false` keeps the server from changing one of its own roles or bindings. */
export const autoupdateAnnotation = (dialect: Dialect): string =>
  `rbac.authorization.${dialect.labelDomain}/autoupdate`;

/** User-facing roles that other cluster roles can add their rules to. */
export type AggregatedRole = 'admin' | 'edit' | 'view';

/** Label that with the value `true` adds the rules of a cluster role to a user-facing one. */
export const aggregationLabel = (dialect: Dialect, role: AggregatedRole): string =>
  `${rbacGroup(dialect)}/aggregate-to-${role}`;
