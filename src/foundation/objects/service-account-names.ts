import { serviceAccountName, namespaceName } from './names.js';

const USER_PREFIX = 'system:serviceaccount:';
/** Group of all service accounts. */
export const SERVICE_ACCOUNTS_GROUP = 'system:serviceaccounts';

/** Returns the user name of a service account. */
export function serviceAccountUsername(namespace: string, name: string): string {
  return `${USER_PREFIX}${namespace}:${name}`;
}

/** Returns the groups of a service account. */
export function serviceAccountGroups(namespace: string): string[] {
  return [SERVICE_ACCOUNTS_GROUP, `${SERVICE_ACCOUNTS_GROUP}:${namespace}`];
}

/** Returns namespace and name of the service account of a user name, or undefined for other users. */
export function parseServiceAccountUsername(
  username: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!username.startsWith(USER_PREFIX)) return undefined;
  const parts = username.slice(USER_PREFIX.length).split(':');
  const [namespace, name] = parts;
  if (parts.length !== 2 || namespace === undefined || name === undefined) return undefined;
  return namespaceName(namespace, false).length === 0 && serviceAccountName(name, false).length === 0
    ? { namespace, name }
    : undefined;
}
