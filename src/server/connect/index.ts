/**
 * The subresources that connect a client with what an object stands for: `log`, `exec`, `attach`, `portforward` and
 * `proxy`. Loaded with the first request for one.
 *
 * @module
 */
import { errors, ownMember } from '../../foundation/index.js';
import type { ResourceCall } from '../endpoints/call.js';
import type { ApiResponse, WebSocketAnswer } from '../requests/http.js';
import type { Connection } from './connection.js';
import { podAttach, podExec } from './pod-attach.js';
import { podLog } from './pod-log.js';
import { podPortForward } from './pod-port-forward.js';
import type { PodRequest } from './pod-request.js';
import { requireNode, targetOf, withoutHandler } from './pod-target.js';
import { proxy } from './proxy.js';

export { connectAttributes } from './admission-attributes.js';
export { openPodLog } from './pod-log.js';
export type { PodRequest } from './pod-request.js';
export { openProxy, type ProxyCall } from './proxy.js';

type SocketEndpoint = (request: PodRequest, connection: Connection) => WebSocketAnswer;

const socketEndpoints: Readonly<Record<string, SocketEndpoint>> = {
  exec: podExec,
  attach: podAttach,
  portforward: podPortForward,
};

/** The option with which the owner answers a subresource that needs a WebSocket. */
const OPTIONS = { exec: 'exec', attach: 'attach', portforward: 'portForward' } as const;

/** Refuses a request without an upgrade for a subresource that needs one. @throws ApiError */
async function refusePlain(call: ResourceCall, { handlers }: Connection, name: keyof typeof OPTIONS): Promise<never> {
  const pod = await targetOf(call);
  const option = OPTIONS[name];
  if (handlers.pods?.[option] === undefined) {
    requireNode(pod);
    throw withoutHandler(`pods/${name}`, `pods.${option}`);
  }
  // The older protocol of streams over one connection, SPDY, is not supported.
  throw errors.badRequest('Upgrade request required: this server connects over WebSocket only');
}

/** Answers a request to a subresource that connects. */
export function connect(call: ResourceCall, connection: Connection): Promise<ApiResponse> {
  const { subresource } = call.scope.info;
  if (subresource === 'log') return podLog(call, connection);
  if (subresource === 'exec' || subresource === 'attach' || subresource === 'portforward')
    return refusePlain(call, connection, subresource);
  return proxy(call, connection);
}

/** Answers a WebSocket to a subresource that connects. @throws ApiError when it does not take one */
export async function connectSocket(call: ResourceCall, connection: Connection): Promise<WebSocketAnswer> {
  const { scope, responder } = call;
  const { query, user, info } = scope;
  endpointOf(info.subresource);
  const offered = scope.request.headers.get('sec-websocket-protocol') ?? '';
  const request = { pod: await targetOf(call), user, query, offered, dialect: responder.dialect };
  return openStreams(info.subresource, request, connection);
}

/** Opens the streams of a pod. @throws ApiError when the subresource has none, or refuses the request */
export const openStreams = (subresource: string, request: PodRequest, connection: Connection): WebSocketAnswer =>
  endpointOf(subresource)(request, connection);

function endpointOf(subresource: string): SocketEndpoint {
  const endpoint = ownMember(socketEndpoints, subresource);
  if (endpoint === undefined) throw errors.badRequest('this subresource does not take a WebSocket');
  return endpoint;
}
