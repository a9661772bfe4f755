/**
 * The routes of custom kinds. Kubernetes serves them by code of its own, without the router of the built-in kinds, so
 * other paths and methods exist and failures have other texts.
 *
 * @module
 */
import { errors } from '../../foundation/index.js';
import type { VerbEndpoint } from '../endpoints/call.js';
import { resourceEndpoints, subresourceEndpoints } from '../endpoints/resource.js';
import type { ResourceOperations } from '../operations/resource-operations.js';
import type { ApiResponse } from '../requests/http.js';
import type { RequestInfo } from '../requests/request-info.js';

/** Verbs that need no namespace in the path of a namespaced kind. */
const ALL_NAMESPACE_VERBS: ReadonlySet<string> = new Set(['list', 'watch']);

/** Verbs on a named object whose path may lack the name: they are refused by the verb, not by the route. */
const NAMED_VERBS: ReadonlySet<string> = new Set(['update', 'patch']);

/**
 * Returns whether the path of a request belongs to a custom kind: its scope must be that of the kind. Any other path
 * does not exist, as if the kind were not served.
 */
export function isCustomPath(info: RequestInfo, { store }: ResourceOperations): boolean {
  const { verb, namespace, parts, verbViaPathPrefix } = info;
  if (!store.info.namespaced) return namespace === '';
  return namespace !== '' || (ALL_NAMESPACE_VERBS.has(verb) && (parts.length === 1 || verbViaPathPrefix));
}

/**
 * Returns the endpoint of a request for a custom kind.
 *
 * @param method HTTP method in upper case
 * @throws ApiError 404 for an unknown subresource, 405 for a verb that the resource does not have, 400 for a missing name
 */
export function customEndpoint(info: RequestInfo, method: string, operations: ResourceOperations): VerbEndpoint {
  const { verb, name, subresource } = info;
  const kind = operations.store.info;
  const served = subresource === '' ? undefined : kind.subresources.get(subresource);
  if (subresource !== '' && served === undefined) throw errors.notFound(kind, name);
  const verbs: readonly string[] = served?.verbs ?? kind.verbs;
  const endpoint = (served === undefined ? resourceEndpoints : subresourceEndpoints)[verb];
  if (endpoint === undefined || !verbs.includes(verb) || (verb === 'watch' && method !== 'GET'))
    throw errors.methodNotSupported(kind, verb);
  if (verb === 'create') operations.refuseWhileTerminating(verb);
  if (NAMED_VERBS.has(verb) && name === '') throw errors.badRequest('name must be provided');
  return method === 'HEAD' ? withoutBody(endpoint) : endpoint;
}

/** Returns an endpoint that answers with the header fields alone. */
function withoutBody(endpoint: VerbEndpoint): VerbEndpoint {
  return async (call): Promise<ApiResponse> => ({ ...(await endpoint(call)), body: undefined });
}
