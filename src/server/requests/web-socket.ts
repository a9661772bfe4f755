import { errors, onAbort } from '../../foundation/index.js';
import type { ResourceCall } from '../endpoints/call.js';
import { negotiate } from '../endpoints/negotiation.js';
import { WatchPace } from '../endpoints/watch-pace.js';
import { openNotices, watchMessages } from '../endpoints/watch.js';
import { endingWith, enterWatch, type EnteredWatch, type LastingLimits } from '../filters/in-flight.js';
import { reservationOf } from '../filters/memory.js';
import type { GenericServer } from '../generic-server.js';
import type { RequestMemory, Reservation } from '../limits/reservation.js';
import type { Router } from '../routes/router.js';
import { isLasting, openConnection } from './connections.js';
import type { ApiResponse, WebSocketAnswer } from './http.js';
import { compose, type Filter, type RequestScope } from './request-scope.js';

/** Response of an accepted upgrade to WebSocket. */
const SWITCHING_PROTOCOLS: ApiResponse = { status: 101, headers: {}, body: undefined };

/** The outcome of a request for a WebSocket: the connection, or the response of another server that refuses it. */
export type SocketOutcome = { readonly accept: WebSocketAnswer } | { readonly refuse: ApiResponse };

/** The limits of WebSockets: what a client sends and nobody has taken counts against the memory budget. */
interface SocketLimits extends LastingLimits {
  readonly memory: RequestMemory;
}

/** Creates the endpoint of watches and connections over WebSocket. They pass the same filters as all other requests. */
export function webSocketWatch(
  server: GenericServer,
  router: Router,
  filters: readonly Filter[],
  limits: SocketLimits,
): (scope: RequestScope) => Promise<SocketOutcome> {
  return async (scope) => {
    let accept: WebSocketAnswer | undefined;
    const endpoint = compose(filters, async (authorized) => {
      const answer = await open(server, router, authorized, limits);
      if (isResponse(answer)) return answer;
      accept = answer;
      return SWITCHING_PROTOCOLS;
    });
    const response = await endpoint(scope);
    return accept === undefined ? { refuse: response } : { accept };
  };
}

const isResponse = (answer: WebSocketAnswer | ApiResponse): answer is ApiResponse => 'status' in answer;

async function open(
  server: GenericServer,
  router: Router,
  scope: RequestScope,
  limits: SocketLimits,
): Promise<WebSocketAnswer | ApiResponse> {
  const openRemote = await server.options.remote?.upgrade(scope, server);
  if (openRemote !== undefined) return counted(scope, limits, openRemote);
  if (!scope.info.isResource || !isLasting(scope.info))
    throw errors.badRequest('only a watch can be upgraded to a WebSocket');
  const operations = router.find(scope.info);
  if (operations === undefined) throw errors.resourceNotFound();
  await server.options.prepare(operations.store.info.definition, undefined, scope.info.namespace);
  router.reportDeprecation(scope, operations);
  const call = router.call(scope, operations);
  return scope.info.verb === 'watch' ? openWatch(server, call, limits) : connected(server, call, limits);
}

/** Opens a connection to a subresource. */
const connected = (server: GenericServer, call: ResourceCall, limits: SocketLimits): Promise<WebSocketAnswer> =>
  counted(call.scope, limits, () => openConnection(server, call));

/** Counts a WebSocket like a watch, and opens its memory, until its messages end or its client has gone. */
function enterSocket(
  limits: SocketLimits,
  scope: RequestScope,
): Pick<EnteredWatch, 'opened' | 'leave'> & { readonly memory: Reservation } {
  const watch = enterWatch(limits, scope);
  const memory = reservationOf(limits.memory, scope);
  onAbort(scope.signal, () => memory.end());
  const leave = (): void => {
    watch.leave();
    memory.end();
  };
  return { opened: watch.opened, leave, memory };
}

/** Opens a connection, which counts like a watch until its messages end. */
async function counted<Answer extends WebSocketAnswer | ApiResponse>(
  scope: RequestScope,
  limits: SocketLimits,
  open: () => Promise<Answer>,
): Promise<Answer> {
  const watch = enterSocket(limits, scope);
  try {
    const answer = await open();
    if (isResponse(answer)) {
      watch.leave();
      return answer;
    }
    watch.opened(SWITCHING_PROTOCOLS.status);
    const messages = endingWith(answer.messages, watch.leave);
    return { ...answer, messages, blocked: limits.blocked, memory: watch.memory };
  } catch (error) {
    watch.leave();
    throw error;
  }
}

async function openWatch(server: GenericServer, call: ResourceCall, limits: SocketLimits): Promise<WebSocketAnswer> {
  const { scope } = call;
  const negotiated = negotiate(call);
  const watch = enterSocket(limits, scope);
  const pace = new WatchPace(call);
  const notices = await openNotices(call, pace).catch((error: unknown) => {
    watch.leave();
    throw error;
  });
  watch.opened(SWITCHING_PROTOCOLS.status);
  const offered = (scope.request.headers.get('sec-websocket-protocol') ?? '')
    .split(',')
    .map((protocol) => protocol.trim());
  // A subprotocol that carries a token is never selected: the response would repeat the token.
  const protocol =
    offered.find((candidate) => candidate !== '' && !candidate.startsWith(server.dialect.webSocketBearerPrefix)) ?? '';
  return {
    protocol,
    messages: endingWith(watchMessages(call, notices, negotiated, pace), watch.leave),
    blocked: limits.blocked,
    memory: watch.memory,
  };
}
