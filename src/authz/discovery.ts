import { ALLOW, NO_OPINION, type Authorizer } from './authorizer.js';

/** Group of everybody who has proved who they are. */
const AUTHENTICATED_GROUP = 'system:authenticated';
/** Group of everybody who has not. */
const UNAUTHENTICATED_GROUP = 'system:unauthenticated';

/** Role `system:public-info-viewer`: for everybody. */
const PUBLIC_PATHS: ReadonlySet<string> = new Set(['/healthz', '/livez', '/readyz', '/version', '/version/']);
/** Role `system:discovery`: for every authenticated user, besides the public paths. */
const DISCOVERY_PATHS: ReadonlySet<string> = new Set(['/api', '/apis', '/openapi']);
const DISCOVERY_PREFIXES: readonly string[] = ['/api/', '/apis/', '/openapi/'];

/**
 * Lets users read what the API offers and whether it works, as the production system's built-in roles
 * `system:discovery` and `system:public-info-viewer` do. For servers without RBAC; with it, these are real roles.
 */
export const discoveryAuthorizer: Authorizer = ({ isResource, verb, path, resource, user: { groups } }) => {
  if (isResource && verb === 'create' && resource === 'selfsubjectreviews' && groups.includes(AUTHENTICATED_GROUP)) return ALLOW;
  if (isResource || verb !== 'get') return NO_OPINION;
  const authenticated = groups.includes(AUTHENTICATED_GROUP);
  if (PUBLIC_PATHS.has(path)) return authenticated || groups.includes(UNAUTHENTICATED_GROUP) ? ALLOW : NO_OPINION;
  if (!authenticated) return NO_OPINION;
  return DISCOVERY_PATHS.has(path) || DISCOVERY_PREFIXES.some((prefix) => path.startsWith(prefix)) ? ALLOW : NO_OPINION;
};
