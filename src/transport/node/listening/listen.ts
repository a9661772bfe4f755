import { constants } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import type { Duplex } from 'node:stream';
import { aDuration, checkOptions, durationMs, ownMember, type Duration } from '../../../foundation/index.js';
import type { ApiResponse } from '../../../server/index.js';
import { withPage } from '../../../ui/index.js';
import { targetOf, type Servable } from '../../target.js';
import { ConnectionTracker } from '../connections.js';
import { servingCohorts, type ServeNode } from '../edge.js';
import type { NodeRequest, NodeResponse } from '../peer.js';
import { answerPlainHttp, PlainHttpError } from '../plain-http.js';
import type { RequestOptions } from '../request.js';
import { writeApiResponse } from '../responses/response.js';
import { serveUpgrades } from '../websocket/websocket.js';
import { acceptsHost, hostsOf, isLoopback } from './accepted-hosts.js';
import { advertisedAddresses } from './advertised-addresses.js';
import { generateTls } from './generated-tls.js';
import {
  checkListenOptions,
  resolveOptions,
  type ListenOptions,
  type ResolvedOptions,
  type TlsOptions,
} from './listen-options.js';

export type { ListenLimits, ListenOptions, ListenTimeouts, TlsOptions, WebSocketOptions } from './listen-options.js';

/** A listener of a server. */
export interface Listener extends AsyncDisposable {
  /** Bound address and port. */
  readonly address: AddressInfo;
  /**
   * URL such as `https://127.0.0.1:6443`, without a trailing slash; for an unspecified address, the loopback address.
   */
  readonly url: string;
  /** Number of open connections. */
  readonly connections: number;
  /** Certificate authority of a generated certificate, in PEM; undefined for another one. */
  readonly authority: string | undefined;
  /**
   * Returns a kubeconfig (YAML) with which kubectl and other clients reach the server here, as its owner. kubectl sends no
   * token in plaintext, so it needs a listener with TLS.
   *
   * @throws TypeError when the listener does not serve an `ApiServer`
   */
  kubeConfig(options?: { readonly namespace?: string | undefined }): string;
  /**
   * Asks clients to send further requests over other connections: the responses from now on end their connections. The
   * listener goes on to accept connections and requests, until {@link close}. Call it when a load balancer learns that the
   * server will stop, so that no client sends a request on a connection that is about to close.
   */
  drain(): void;
  /**
   * Serves the connections from now on with another certificate; open ones keep theirs.
   *
   * @throws TypeError when the listener serves plaintext; Error of Node when key and certificate do not match
   */
  renew(certificate: { readonly key: string; readonly cert: string }): void;
  /**
   * Stops accepting connections, closes idle ones, lets requests in flight finish, and destroys the remaining
   * connections after `grace`, milliseconds or a string such as `5s` (default `2s`). Further calls return the same promise.
   */
  close(options?: { readonly grace?: Duration | undefined }): Promise<void>;
}

/** A server that `listen` serves: an `ApiServer`, or anything else that a transport can serve. */
export type ListenedServer = Servable & {
  /** Returns a kubeconfig for a URL at which the server is served; absent for a server that has none. */
  kubeConfig?(options: {
    readonly server: string;
    readonly certificateAuthority?: string | undefined;
    readonly namespace?: string | undefined;
  }): string;
};

type AnyServer = HttpServer | Http2SecureServer;

/**
 * Serves a server on a TCP port: plaintext HTTP/1.1, or HTTP/2 and HTTP/1.1 over TLS on one port.
 *
 * @throws TypeError for an invalid server or option, or for plaintext on an address other than loopback
 * @throws Error of Node, such as `EADDRINUSE`
 */
export async function listen(server: ListenedServer, options: ListenOptions = {}): Promise<Listener> {
  const served = targetOf('listen', server);
  checkListenOptions(options);
  const target = withPage(served, options.ui ?? false);
  const generated = options.tls === 'generated' ? await generateTls(options.host ?? '127.0.0.1') : undefined;
  const resolved = resolveOptions(options, generated?.tls);
  if (resolved.tls === undefined && !resolved.allowPlaintext && !isLoopback(resolved.host)) {
    throw new TypeError(
      `will not listen without TLS on ${resolved.host}: credentials would be sent in plaintext; set tls, or allowPlaintext behind a proxy that terminates TLS`,
    );
  }
  const http = resolved.tls === undefined ? plainServer(resolved) : secureServer(resolved, resolved.tls);
  const tracker = new ConnectionTracker(http, resolved);
  const { reads, requests } = tracker;
  const service: Service = {
    serveNode: servingCohorts(target, requests),
    ...{ tracker, options: resolved, requestOptions: { reads } },
  };
  http.on('request', (request: NodeRequest, response: NodeResponse) => serve(service, request, response));
  http.on('checkContinue', (request: NodeRequest, response: NodeResponse) => serveContinue(service, request, response));
  http.on('clientError', answerClientError);
  if (target.handshakeFailed !== undefined) http.on('tlsClientError', target.handshakeFailed);
  if (target.handleWebSocket !== undefined) {
    http.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
      reads.head(request);
      reads.turnLater();
      tracker.handOver(socket);
    });
    const { webSocket, clock, timeouts } = resolved;
    serveUpgrades(http, target, {
      close: timeouts.lingerMs,
      ...webSocket,
      clock,
      refuse: (request) => refusalOf(request, resolved),
    });
  }
  await bind(http, resolved);
  const listener = listenerOf(http, tracker, resolved, server, generated?.authority);
  const withdraw = target.listening?.(listener.url, advertisedAddresses(listener.address), hostname());
  if (withdraw !== undefined) http.once('close', withdraw);
  return listener;
}

function plainServer(options: ResolvedOptions): HttpServer {
  const { limits, timeouts } = options;
  const server = createHttpServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    connectionsCheckingInterval: timeouts.checkMs,
  });
  // The size is limited; beyond a count Node would drop fields silently.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connections;
  return server;
}

function secureServer(options: ResolvedOptions, tls: TlsOptions): Http2SecureServer {
  const { limits, timeouts } = options;
  const server = createSecureServer({
    ...contextOf(tls),
    requestCert: true,
    rejectUnauthorized: false,
    allowHTTP1: true,
    handshakeTimeout: timeouts.headersMs,
    settings: { maxConcurrentStreams: limits.streams, maxHeaderListSize: 2 * limits.headerBytes, enablePush: false },
    maxHeaderListPairs: 1024,
  });
  // For the HTTP/1.1 part, whose options the types of the HTTP/2 server lack.
  Object.assign(server, {
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.idleMs,
    connectionsCheckingInterval: timeouts.checkMs,
    maxHeadersCount: 0,
    maxHeaderSize: limits.headerBytes,
    maxConnections: limits.connections,
  });
  return server;
}

/** Returns the options of TLS that a listener may get others of. */
const contextOf = ({ key, cert, ca, minVersion = 'TLSv1.2' }: TlsOptions) => ({
  ...{ key, cert, minVersion },
  ca: ca === undefined ? undefined : [...ca],
  // A resumed session restores the client's certificate without the intermediates that verified it.
  secureOptions: constants.SSL_OP_NO_TICKET,
});

/** The parts that serve a target, with its listener. */
interface Service {
  readonly serveNode: ServeNode;
  readonly tracker: ConnectionTracker;
  readonly options: ResolvedOptions;
  /** Of each request. */
  readonly requestOptions: RequestOptions;
}

/**
 * Serves a request with `Expect: 100-continue`: the client is asked to continue when the handler reads the body, so a
 * refused body is never sent. A connection with an unsent body cannot carry another request.
 */
function serveContinue(service: Service, request: NodeRequest, response: NodeResponse): void {
  const keepAlive = 'stream' in response || response.shouldKeepAlive;
  if (!('stream' in response)) response.shouldKeepAlive = false;
  const beforeRead = (): void => {
    response.writeContinue();
    if (!('stream' in response)) response.shouldKeepAlive = keepAlive && !service.tracker.draining;
  };
  serve(service, request, response, { ...service.requestOptions, beforeRead });
}

function serve(
  { serveNode, tracker, options, ...service }: Service,
  request: NodeRequest,
  response: NodeResponse,
  requestOptions: RequestOptions = service.requestOptions,
): void {
  const exchange = tracker.begin(request, response);
  const refusal = refusalOf(request, options);
  if (refusal === undefined) {
    serveNode(request, response, requestOptions, exchange, () => tracker.end(exchange));
    return;
  }
  // Without a listener, a connection error would end the process.
  response.on('error', () => undefined);
  if (!('stream' in response)) response.shouldKeepAlive = false;
  void writeApiResponse(response, refusal);
  tracker.end(exchange);
}

/** Returns the response to a request that is refused by its head; undefined when the server handles the request. */
function refusalOf(
  request: NodeRequest,
  { limits, acceptedHosts }: Pick<ResolvedOptions, 'limits' | 'acceptedHosts'>,
): ApiResponse | undefined {
  if ((request.url ?? '').length > limits.urlBytes) return plainResponse('414 URI Too Long');
  // For HTTP/1.1 the parser checks the size.
  if ('stream' in request && fieldBytes(request) > limits.headerBytes)
    return plainResponse('431 Request Header Fields Too Large');
  const hosts = hostsOf(request);
  // As in Go. With two names, a proxy and the server could assume different hosts (RFC 9112 section 3.2).
  if (hosts.length > 1) return plainResponse('400 Bad Request: too many Host headers');
  if (acceptedHosts === undefined || hosts.every((host) => acceptsHost(acceptedHosts, host))) return undefined;
  return plainResponse('403 Forbidden: the Host header is neither a loopback name nor one of the accepted hosts');
}

function fieldBytes({ rawHeaders }: NodeRequest): number {
  let length = 0;
  for (const text of rawHeaders) length += text.length;
  return length;
}

function plainResponse(status: string): ApiResponse {
  return {
    status: Number.parseInt(status, 10),
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: status,
  };
}

function bind(server: AnyServer, options: ResolvedOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port, backlog: 4096 }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function listenerOf(
  server: AnyServer,
  tracker: ConnectionTracker,
  options: ResolvedOptions,
  served: ListenedServer,
  authority: string | undefined,
): Listener {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the listener is not bound to a TCP address');
  const close = (closing: { readonly grace?: Duration | undefined } = {}): Promise<void> => {
    checkOptions('close', closing, { grace: aDuration });
    return tracker.close(durationMs(closing.grace ?? 2000));
  };
  const url = urlOf(address, options.tls !== undefined);
  return {
    address,
    url,
    authority,
    kubeConfig({ namespace } = {}) {
      if (served.kubeConfig === undefined) throw new TypeError('kubeConfig: the listener does not serve an ApiServer');
      return served.kubeConfig({ server: url, certificateAuthority: authority, namespace });
    },
    get connections() {
      return tracker.connections;
    },
    drain: () => tracker.drain(),
    renew(certificate) {
      if (options.tls === undefined || !('setSecureContext' in server))
        throw new TypeError('renew: the listener serves plaintext');
      const { key, cert } = certificate;
      server.setSecureContext(contextOf({ ...options.tls, key, cert }));
    },
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

function urlOf(address: AddressInfo, secure: boolean): string {
  const host = address.address === '0.0.0.0' ? '127.0.0.1' : address.address === '::' ? '::1' : address.address;
  return `${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

/** Responses by code of the parser's error; other HTTP errors get 400. */
const ERROR_RESPONSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Responds to bytes that are not an HTTP/1.1 request, and closes the connection. */
function answerClientError(error: Error & { readonly code?: string | undefined }, socket: Duplex): void {
  if (error instanceof PlainHttpError) {
    answerPlainHttp(socket);
    return;
  }
  const code = error.code ?? '';
  // Other errors are TLS errors, before which nothing can be written, or closed connections.
  const http = code.startsWith('HPE_') || code.startsWith('ERR_HTTP_');
  if (!http || !socket.writable || hasResponse(socket)) {
    socket.destroy();
    return;
  }
  const status = ownMember(ERROR_RESPONSES, code) ?? '400 Bad Request';
  const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nContent-Length: ${status.length}\r\n\r\n`;
  // A client that never reads must not keep the connection: it is destroyed after the response.
  socket.end(head + status, () => socket.destroy());
}

/**
 * Returns whether a response is in progress on the connection, which another one would corrupt. Node marks the socket.
 */
function hasResponse(socket: Duplex): boolean {
  if (!('_httpMessage' in socket)) return false;
  const message = socket._httpMessage;
  return typeof message === 'object' && message !== null && 'headersSent' in message && message.headersSent === true;
}
