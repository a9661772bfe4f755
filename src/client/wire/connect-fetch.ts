import {
  aFunction,
  aName,
  checkOptions,
  consoleLogger,
  either,
  fetchHttpClient,
  jsonValue,
  loading,
  matching,
  safeLogger,
  systemClock,
  type FetchFunction,
  type OptionChecks,
  type SocketRequest,
} from '../../foundation/index.js';
import type { Client } from '../client.js';
import type { HostWebSocket, WebSocketFunction } from '../streams/web-socket.js';
import { clientOver, groupsOf } from './client-over.js';
import { checkConnectOptions, type ConnectOptions } from './connect-options.js';
import { HttpConnection } from './http-connection.js';
import { tokenCredentials, type TokenSource } from './token.js';

/** A server that is reached by `fetch`, as in a browser or a worker. */
export interface FetchTarget {
  /** URL of the server, with a path if it is not at the root. */
  readonly url: string | URL;
  /** Bearer token, or a function that returns the current one; called for each request. */
  readonly token?: TokenSource | undefined;
  readonly fetch: FetchFunction;
  /** Opens the WebSockets of streams: `exec`, `attach`, `portForward`. Default that of the host. */
  readonly webSocket?: WebSocketFunction | undefined;
}

/** A server's URL. */
export const aUrl = matching(
  'the URL of a server: https://… or http://…, without user, password, query and fragment',
  (value) => {
    if (!(value instanceof URL) && typeof value !== 'string') return false;
    const url = URL.canParse(String(value)) ? new URL(value) : undefined;
    return (
      (url?.protocol === 'https:' || url?.protocol === 'http:') &&
      `${url.username}${url.password}${url.search}${url.hash}` === ''
    );
  },
);

/** A token, or a function that returns one. */
export const aToken = either(aFunction, aName);

const checks: OptionChecks<FetchTarget> = { url: aUrl, token: aToken, fetch: aFunction, webSocket: aFunction };

/** Maximum size of a response that is not a stream; the client has its own limit. */
const UNUSED_LIMIT = 0;

/** @throws TypeError on a host without WebSockets */
function hostWebSocket(url: string, protocols: string[]): HostWebSocket {
  const { WebSocket: Host } = globalThis as {
    readonly WebSocket?: (new (url: string, protocols: string[]) => HostWebSocket) | undefined;
  };
  if (Host === undefined) throw new TypeError('connect: this host has no WebSocket: pass the member webSocket');
  return new Host(url, protocols);
}

/** Connects to a server by `fetch`. Sends nothing before the first call. @throws TypeError for invalid options */
export function connectByFetch(target: FetchTarget, options: ConnectOptions): Client {
  checkOptions('connect', target, checks, ['url', 'fetch']);
  checkConnectOptions(options);
  const { url, token, fetch, webSocket: open = hostWebSocket } = target;
  const { clock = systemClock } = options;
  const { groupSuffix } = groupsOf(options);
  // A browser refuses a fetch that is called as a method.
  const http = fetchHttpClient((to, init) => fetch(to, init));
  const logger = safeLogger(options.logger ?? consoleLogger);
  const connection = new HttpConnection({
    http: Object.assign(http, {
      webSocket: async (request: SocketRequest) => {
        const { openWebSocket } = await loading(import('../streams/web-socket.js'));
        return openWebSocket(request, { open, http, clock, groupSuffix });
      },
    }),
    server: new URL(url),
    namespace: undefined,
    source: token === undefined ? undefined : tokenCredentials(token),
    impersonation: new Map(),
    tls: undefined,
    maxBytes: UNUSED_LIMIT,
    warn: (error) => logger.warn(error.message),
  });
  return clientOver(connection, options, { decode: jsonValue, userAgent: undefined, close: () => undefined });
}
