import { apiVersionOf, errors, workOf, type TraceSpan } from '../../foundation/index.js';
import type { Deprecation, ResourceInfo, ResourceVerb } from '../../registry/index.js';
import { attributesOf } from '../../security/index.js';
import { isCustom } from '../discovery/index.js';
import type { ResourceCall, VerbEndpoint } from '../endpoints/call.js';
import { resourceEndpoints, subresourceEndpoints } from '../endpoints/resource.js';
import type { GenericServer } from '../generic-server.js';
import { requestMetrics } from '../metrics/table/request-metrics.js';
import type { ResourceOperations } from '../operations/resource-operations.js';
import { allowsTrailingPath, connectEndpoint } from '../requests/connections.js';
import type { ApiResponse } from '../requests/http.js';
import type { RequestInfo } from '../requests/request-info.js';
import type { RequestScope } from '../requests/request-scope.js';
import { isWarnedIn } from '../settings/release.js';
import { asHandler } from '../tracing/handler-span.js';
import { customEndpoint, isCustomPath } from './custom-routes.js';
import { NonResourceRoutes } from './non-resource-routes.js';

/** Response for an unknown path, as Kubernetes' mux gives it. */
export const pageNotFound: ApiResponse = Object.freeze({
  status: 404,
  headers: Object.freeze({ 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }),
  body: '404 page not found\n',
});

/** Verbs that need no namespace in the path of a namespaced kind. */
const ALL_NAMESPACE_VERBS: ReadonlySet<string> = new Set(['list', 'watch']);

/** Finds the endpoint of a request and runs it. */
export class Router {
  readonly #server: GenericServer;
  readonly #nonResourceRoutes: NonResourceRoutes;

  constructor(server: GenericServer) {
    this.#server = server;
    this.#nonResourceRoutes = new NonResourceRoutes(server);
  }

  /** Answers a request that has been authorized. @throws ApiError, also at once */
  route(scope: RequestScope): ApiResponse | Promise<ApiResponse> {
    const remote = this.#server.options.remote?.route(scope, this.#server);
    if (remote === undefined) return this.#routeHere(scope);
    return remote instanceof Promise ? remote.then((answer) => answer ?? this.#routeHere(scope)) : remote;
  }

  #routeHere(scope: RequestScope): ApiResponse | Promise<ApiResponse> {
    const { info } = scope;
    if (!info.isResource) return this.#nonResourceRoutes.route(scope).then((answer) => answer ?? this.#notFound(scope));
    const operations = this.find(info);
    if (operations === undefined) return this.#notFound(scope);
    const pending = this.#server.options.prepare(operations.store.info.definition, undefined, info.namespace);
    return pending === undefined ? this.#run(scope, operations) : pending.then(() => this.#run(scope, operations));
  }

  /** Answers a request for an unknown path, with a reason for the group of another dialect. */
  #notFound(scope: RequestScope): ApiResponse {
    const foreign = this.#server.foreignGroups.warn(scope);
    if (foreign === undefined) return pageNotFound;
    const headers = { ...pageNotFound.headers, warning: scope.warnings };
    return { ...pageNotFound, headers, body: `404 page not found: ${foreign}\n` };
  }

  #run(scope: RequestScope, operations: ResourceOperations): ApiResponse | Promise<ApiResponse> {
    if (isCustom(operations.store.info)) this.reportDeprecation(scope, operations);
    const endpoint = this.#endpointOf(scope, operations);
    if (!isCustom(operations.store.info)) this.reportDeprecation(scope, operations);
    return asHandler(scope, (span) => {
      const run = () => endpoint(this.call(scope, operations, span));
      const prepared = operations.store.info.definition.givenUpSchema?.prepare(workOf(scope));
      return prepared === undefined ? run() : prepared.then(run);
    });
  }

  /**
   * Returns the operations of the resource in a path; undefined when no route exists for the path.
   *
   * @throws ApiError 404 for an unknown path in a group that has routes
   */
  find(info: RequestInfo): ResourceOperations | undefined {
    const operations = this.#server.operations(info.group, info.version, info.resource);
    const custom = operations !== undefined && isCustom(operations.store.info);
    if (custom && isCustomPath(info, operations)) return operations;
    if (operations === undefined || custom) {
      if (info.group !== '' && !this.#server.discovery.isRouted(info.group)) return undefined;
      throw errors.resourceNotFound();
    }
    if (info.parts.length > 3 && !allowsTrailingPath(operations.store.info, info)) throw errors.resourceNotFound();
    const { namespaced } = operations.store.info;
    // This includes namespaces: the request was authorized for the namespace in the path and must not reach others.
    if (info.underNamespace && !namespaced) throw errors.resourceNotFound();
    if (namespaced && info.namespace === '' && info.name !== '' && info.parts.length > 1)
      throw errors.resourceNotFound();
    return operations;
  }

  /**
   * Creates the call that a resource endpoint handles.
   *
   * @param resource operations of the resource in the path
   * @param span the step of the trace in which the endpoint runs
   */
  call(scope: RequestScope, resource: ResourceOperations, span?: TraceSpan): ResourceCall {
    const server = this.#server;
    const { limits } = server.options;
    const { slot } = scope;
    return {
      scope,
      resource: resource.store.info,
      // An operation subresource reads and returns objects of the virtual kind.
      operations: resource.operationSubresource(scope.info.subresource) ?? resource,
      responder: server.responder,
      context: server.context(scope.user, scope.userAgent, scope.warn, undefined, {
        audit: scope.audit,
        span,
        written: scope.interception?.written,
        webhookTimes: scope,
        work: scope.work,
        whileWaiting: slot === undefined ? undefined : (wait) => slot.whileWaiting(wait),
      }),
      bodyLimit: limits.bodyBytes,
      authorizeCreate: () => server.authorize({ ...attributesOf(scope.info, scope.user), verb: 'create' }),
      watchTimeoutMs: () => limits.minWatchMs * (1 + (server.entropy.bytes(1)[0] ?? 0) / 256),
    };
  }

  /** Reports a deprecated kind as a warning to the client and as a metric (conventions.md, "Events"). */
  reportDeprecation(scope: RequestScope, { store }: ResourceOperations): void {
    const { group, version, resource, definition } = store.info;
    const { deprecation, lifecycle } = definition;
    if (deprecation === undefined) return;
    if (lifecycle !== undefined && !isWarnedIn(this.#server.options.release, lifecycle)) return;
    scope.audit?.deprecated('removal' in deprecation ? deprecation.removal : '');
    scope.warn('warning' in deprecation ? deprecation.warning : deprecationText(store.info, deprecation));
    this.#server.metrics.gauge(requestMetrics.apiserver_requested_deprecated_apis).set(1, {
      group,
      version,
      resource,
      subresource: scope.info.subresource,
      removed_release: 'removal' in deprecation ? deprecation.removal : '',
    });
  }

  #endpointOf(scope: RequestScope, operations: ResourceOperations): VerbEndpoint {
    const { info, request } = scope;
    if (isCustom(operations.store.info)) return customEndpoint(info, request.method, operations);
    if (info.subresource !== '') return this.#subresourceEndpoint(info, request.method, operations);
    const named = info.parts.length > 1;
    const endpoint = resourceEndpoints[info.verb];
    const { verbs, namespaced } = operations.store.info;
    if (named && !verbs.some((verb) => NAMED_VERBS.has(verb))) throw errors.resourceNotFound();
    const allowed =
      endpoint !== undefined &&
      request.method !== 'HEAD' &&
      (info.verb !== 'watch' || request.method === 'GET') &&
      verbs.includes(info.verb as ResourceVerb) &&
      (info.verb === 'watch' || named === NAMED_VERBS.has(info.verb)) &&
      (!namespaced || info.namespace !== '' || ALL_NAMESPACE_VERBS.has(info.verb));
    if (!allowed) throw errors.methodNotAllowed();
    return endpoint;
  }

  #subresourceEndpoint(info: RequestInfo, method: string, operations: ResourceOperations): VerbEndpoint {
    const definition = operations.store.info.subresources.get(info.subresource);
    if (definition === undefined) throw errors.resourceNotFound();
    const connects = 'connect' in definition;
    const endpoint = connects ? connectEndpoint(this.#server) : subresourceEndpoints[info.verb];
    const isServed = definition.verbs.some((verb) => verb === info.verb);
    // Only a proxy passes a HEAD on.
    const isHead = method === 'HEAD' && !(connects && definition.connect.trailingPath === true);
    if (endpoint === undefined || isHead || !isServed) throw errors.methodNotAllowed();
    return endpoint;
  }
}

/** Verbs on a named object. All others act on a collection; watch acts on both. */
const NAMED_VERBS: ReadonlySet<string> = new Set(['get', 'update', 'patch', 'delete']);

/** Returns the warning of a deprecated version, with the version that replaces it. */
function deprecationText(
  { apiVersion, group, kind }: ResourceInfo,
  { since, removal, replacement }: Extract<Deprecation, { since: string }>,
): string {
  const text = `${apiVersion} ${kind} is deprecated in v${since}+, unavailable in v${removal}+`;
  return replacement === undefined
    ? text
    : `${text}; use ${apiVersionOf(group, replacement.version)} ${replacement.kind}`;
}
