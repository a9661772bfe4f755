/** Calls of the client in the process, as requests. */
import type { ClientRequest } from '../../client/index.js';
import type { attributesOf } from '../../security/index.js';

/** Returns what a request over HTTP would be, for the rules that look at requests. */
export function infoOfCall(request: ClientRequest): Parameters<typeof attributesOf>[0] {
  const { info } = request.operations.store;
  return {
    isResource: true,
    verb: request.verb,
    path: '',
    group: info.group,
    version: info.version,
    namespace: namespaceOf(request),
    resource: info.resource,
    subresource: request.subresource,
    name: request.name,
  };
}

/**
 * Returns the namespace that a request is authorized in. It is empty for cluster-scoped kinds, except for a request on
 * one namespace: its path makes that namespace the request's namespace. A list or watch has none, even if it selects a
 * name.
 */
function namespaceOf({ operations, verb, namespace, name }: ClientRequest): string {
  const { info } = operations.store;
  if (info.namespaced) return namespace;
  return info.resource === 'namespaces' && verb !== 'list' && verb !== 'watch' ? name : '';
}
