import { groupName, systemGroup, type Dialect } from '../../../foundation/index.js';

/** The API group of RBAC. */
export const RBAC_GROUP = systemGroup('rbac.authorization');

/** Returns the name of the RBAC group, which references to roles and subjects contain. */
export const rbacGroupName = (dialect: Dialect): string => groupName(RBAC_GROUP, dialect);
