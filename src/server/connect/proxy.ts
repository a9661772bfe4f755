import { ApiError, errors, shown, type StoredObject, type UserInfo } from '../../foundation/index.js';
import {
  endpointAddresses,
  Endpoints,
  NoServiceAddress,
  servicePortName,
  type ServiceObject,
} from '../../kinds/index.js';
import { handed, type RequestContext, type ResourceStore } from '../../registry/index.js';
import { readBody } from '../endpoints/body.js';
import type { ResourceCall } from '../endpoints/call.js';
import type { ApiResponse } from '../requests/http.js';
import { answerOf, type Connection } from './connection.js';
import { endingOnAbort } from './ending-on-abort.js';
import type { ProxyAnswer, ProxyRequest } from './handlers.js';
import { withoutHandler } from './pod-target.js';

/** Fields of a request that are not passed on: they are for this server or this connection. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  'authorization',
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The name in the path of a proxy: `web`, `web:80` or `https:web:443`. */
interface ProxyTarget {
  readonly name: string;
  readonly scheme: string | undefined;
  readonly port: string | undefined;
}

/** Parses the name in the path of a proxy. @throws ApiError 400 */
function parseTarget(text: string, kind: string): ProxyTarget {
  const [first = '', second, third, ...more] = text.split(':');
  const target: ProxyTarget =
    third === undefined
      ? { name: first, scheme: undefined, port: second || undefined }
      : { name: second ?? '', scheme: first || undefined, port: third || undefined };
  const validScheme = target.scheme === undefined || target.scheme === 'http' || target.scheme === 'https';
  if (more.length > 0 || target.name === '' || !validScheme)
    throw errors.badRequest(`invalid ${kind.toLowerCase()} request ${JSON.stringify(text)}`);
  return target;
}

function headersOfRequest({ scope }: ResourceCall): Record<string, string> {
  const { headers } = scope.request;
  const passed: Record<string, string> = {};
  for (const name of headers.names()) {
    const value = OWN_FIELDS.has(name) || name.startsWith('impersonate-') ? undefined : headers.get(name);
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}

function responseOf({ status = 200, headers = {}, body }: ProxyAnswer, { signal }: Connection): ApiResponse {
  const stream = typeof body === 'object' && !(body instanceof Uint8Array);
  return { status, headers, body: stream ? { stream: endingOnAbort(body, signal) } : body };
}

type Handler = (object: StoredObject, request: ProxyRequest) => ProxyAnswer | Promise<ProxyAnswer>;

/** Returns the handler of a kind. */
function handlerOf({ handlers }: Connection, resource: string): Handler | undefined {
  if (resource === 'pods') return handlers.pods?.proxy;
  return resource === 'services' ? handlers.services?.proxy : handlers.nodes?.proxy;
}

/** A request for a pod, a service or a node, over HTTP or from a client in the process. */
export interface ProxyCall {
  /** The objects of the kind. */
  readonly store: ResourceStore;
  readonly namespace: string;
  /** The name, with scheme and port: `web`, `web:80` or `https:web:443`. */
  readonly target: string;
  readonly user: UserInfo;
  readonly context: RequestContext;
  readonly signal: AbortSignal | undefined;
  readonly request: Pick<ProxyRequest, 'method' | 'path' | 'query' | 'headers' | 'body'>;
}

/** Answers `proxy` of pods, services and nodes with the handler of the kind. */
export async function proxy(call: ResourceCall, connection: Connection): Promise<ApiResponse> {
  const { scope, operations, context } = call;
  const { info, request, signal, user } = scope;
  const answer = await openProxy(
    {
      ...{ store: operations.store, namespace: info.namespace, target: info.name, user, context, signal },
      request: {
        method: request.method,
        path: `/${info.parts.slice(3).join('/')}${trailingSlash(scope.path, info.parts.length)}`,
        query: request.query,
        headers: headersOfRequest(call),
        body: async () => readBody(scope, call.bodyLimit),
      },
    },
    connection,
  );
  return responseOf(answer, connection);
}

/** Lets the handler of the kind answer a request. @throws ApiError without an object or a handler */
export async function openProxy(call: ProxyCall, connection: Connection): Promise<ProxyAnswer> {
  const { store, namespace, target, user, context, signal } = call;
  const { resource, kind, namespaced } = store.info;
  const { name, scheme, port } = parseTarget(target, kind);
  const record = await store.get(namespaced ? namespace : '', name, '', signal, context.whileWaiting);
  const handler = handlerOf(connection, resource);
  if (handler === undefined) {
    if (resource === 'services') await requireEndpoints(store.read(record), port, connection);
    throw withoutHandler(`${resource}/proxy`, `${resource}.proxy`);
  }
  const request: ProxyRequest = { ...call.request, scheme, port, user, signal: connection.signal };
  const answer: unknown = await answerOf(connection, () => handler(handed(store.read(record), context), request));
  if (typeof answer !== 'object' || answer === null)
    throw new ApiError({
      message: `the handler ${resource}.proxy must return an answer, got ${shown(answer)}`,
      code: 502,
    });
  return answer;
}

/**
 * Refuses a service that nothing stands behind, as Kubernetes does.
 *
 * @param port number or name of the port in the path; undefined for the port without a name
 * @throws ApiError 404 without Endpoints, 503 when these have no ready address
 */
async function requireEndpoints(service: ServiceObject, port = '', { catalogue }: Connection): Promise<void> {
  const { name = '', namespace = '' } = service.metadata;
  try {
    const portName = /^\d+$/.test(port) ? servicePortName(service, Number(port)) : port;
    const endpoints = catalogue.serves(Endpoints) ? await catalogue.find(Endpoints, namespace, name) : undefined;
    endpointAddresses(service, endpoints, portName);
  } catch (error) {
    if (!(error instanceof NoServiceAddress)) throw error;
    throw error.code === 404
      ? errors.notFound({ group: '', resource: 'endpoints' }, name)
      : errors.serviceUnavailable(error.message);
  }
}

/** Returns the slash at the end of a path, unless it is the path alone. */
const trailingSlash = (path: string, parts: number): string => (parts > 3 && path.endsWith('/') ? '/' : '');
