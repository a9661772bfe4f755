/**
 * Requests to subresources that connect, such as `pods/log`. They may last as long as a watch.
 *
 * @module
 */
import { errors, type UserInfo } from '../../foundation/index.js';
import type { StoredPod } from '../../kinds/index.js';
import type { RequestContext, ResourceInfo } from '../../registry/index.js';
import type { Connection } from '../connect/connection.js';
import type { PodLogOptions, ProxyAnswer } from '../connect/handlers.js';
import type { PodRequest } from '../connect/pod-request.js';
import type { ProxyCall } from '../connect/proxy.js';
import type { ResourceCall, VerbEndpoint } from '../endpoints/call.js';
import type { GenericServer } from '../generic-server.js';
import type { WebSocketAnswer } from './http.js';
import { isPageEndpoint } from './page-endpoints.js';
import type { RequestInfo } from './request-info.js';

/** Subresources whose requests last, as in Kubernetes: they have no deadline once they are open. */
const LASTING: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** End of the endpoints of the page that follow what happens. */
const FOLLOWED = '/follow';

/** Returns whether a request may last: a watch, a connection, or an endpoint of the page that follows what happens. */
export const isLasting = ({ isResource, verb, subresource, path }: RequestInfo): boolean =>
  verb === 'watch' || (isResource ? LASTING.has(subresource) : isPageEndpoint(path) && path.endsWith(FOLLOWED));

/** Returns whether a path has a subresource of the kind that connects, and may have this many segments. */
export function allowsTrailingPath(resource: ResourceInfo, { subresource }: RequestInfo): boolean {
  const served = resource.subresources.get(subresource);
  return served !== undefined && 'connect' in served && served.connect.trailingPath === true;
}

const connectionOf = (server: GenericServer, { scope }: ResourceCall): Connection => ({
  handlers: server.options.connectHandlers,
  signal: AbortSignal.any([scope.signal, server.shutdownSignal]),
  logger: server.options.logger,
  catalogue: server.catalogue,
  memory: scope.reservation,
});

const connectingOf = ({ resource, scope, context }: ResourceCall) => ({
  ...{ resource, info: scope.info, query: scope.query, context },
  trailingPath: `/${scope.info.parts.slice(3).join('/')}`,
});

/** Returns the endpoint of the subresources that connect. */
export const connectEndpoint =
  (server: GenericServer): VerbEndpoint =>
  async (call) => {
    const { connect, connectAttributes } = await import('../connect/index.js');
    await server.admit(connectAttributes(connectingOf(call)));
    return connect(call, connectionOf(server, call));
  };

/** A log that is read in the process of the server. */
export interface LogRequest {
  readonly pod: StoredPod;
  readonly options: PodLogOptions;
  readonly user: UserInfo;
  readonly signal: AbortSignal;
}

/** Opens the log of a pod. @returns undefined when it has none; @throws ApiError, or what the handler throws */
export async function openLog(
  { options, shutdownSignal, clock, catalogue }: GenericServer,
  { pod, options: wanted, user, signal }: LogRequest,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const { openPodLog } = await import('../connect/index.js');
  const log = await openPodLog(
    pod,
    wanted,
    { user, nowMs: clock.now() },
    {
      ...{ handlers: options.connectHandlers, logger: options.logger, catalogue },
      signal: AbortSignal.any([signal, shutdownSignal]),
    },
  );
  return log?.chunks;
}

/** A request through the server that is made in its process. */
export type ProxyRequestCall = ProxyCall & { readonly signal: AbortSignal };

/** Lets a handler answer a request for a pod, a service or a node. @throws ApiError */
export async function openProxied(server: GenericServer, call: ProxyRequestCall): Promise<ProxyAnswer> {
  const { store, namespace, target: name, context, signal, request } = call;
  const { options, shutdownSignal, catalogue } = server;
  const { openProxy, connectAttributes } = await import('../connect/index.js');
  const info = { subresource: 'proxy', namespace, name };
  const query = new URLSearchParams(request.query);
  await server.admit(connectAttributes({ resource: store.info, info, query, trailingPath: request.path, context }));
  return openProxy(call, {
    ...{ handlers: options.connectHandlers, logger: options.logger, catalogue },
    signal: AbortSignal.any([signal, shutdownSignal]),
  });
}

/** A request for the streams of a pod that is made in the process of the server. */
export interface StreamRequest extends Omit<PodRequest, 'offered' | 'dialect'> {
  readonly resource: ResourceInfo;
  readonly subresource: string;
  readonly context: RequestContext;
  readonly signal: AbortSignal;
}

/** Opens the streams of a pod in the newest protocol. @throws ApiError */
export async function openPodStreams(server: GenericServer, request: StreamRequest): Promise<WebSocketAnswer> {
  const { resource, subresource, pod, user, query, context, signal } = request;
  const { options, shutdownSignal, catalogue, dialect } = server;
  const { openStreams, connectAttributes } = await import('../connect/index.js');
  const { name = '', namespace = '' } = pod.metadata;
  await server.admit(
    connectAttributes({ resource, info: { subresource, namespace, name }, query, trailingPath: '', context }),
  );
  const offered = `v5.channel.${dialect.groupSuffix}`;
  return openStreams(
    subresource,
    { pod, user, query, offered, dialect },
    {
      ...{ handlers: options.connectHandlers, logger: options.logger, catalogue },
      signal: AbortSignal.any([signal, shutdownSignal]),
    },
  );
}

/** Opens a WebSocket to a subresource that connects. @throws ApiError */
export async function openConnection(server: GenericServer, call: ResourceCall): Promise<WebSocketAnswer> {
  const { info } = call.scope;
  const served = call.resource.subresources.get(info.subresource);
  if (served === undefined || !('connect' in served))
    throw errors.badRequest('only a watch can be upgraded to a WebSocket');
  if (!served.verbs.some((verb) => verb === info.verb)) throw errors.methodNotAllowed();
  const { connectSocket, connectAttributes } = await import('../connect/index.js');
  await server.admit(connectAttributes(connectingOf(call)));
  return connectSocket(call, connectionOf(server, call));
}
