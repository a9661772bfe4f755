import type { Socket } from 'node:net';
import { inSharedTurn } from '../../foundation/index.js';
import type { ApiRequest, Peer, RequestHeaders } from '../../server/index.js';
import { stripPrefix } from '../prefix.js';
import { splitTarget } from '../target.js';
import { arrivedBody, readBody, type BodyContext } from './body.js';
import { isGone } from './gone.js';
import { NodePeer, type NodeRequest, type NodeResponse } from './peer.js';
import type { ReadTurns } from './read-turns.js';
import { NodeRequestHeaders } from './request-headers.js';
import { reset } from './responses/response-stream.js';

/** Options of {@link toApiRequest}. */
export interface ToApiRequestOptions {
  /** Prefix to remove from the path, without a trailing slash. */
  readonly prefix?: string | undefined;
  /** Called before the body is read, to send `100 Continue`. */
  readonly beforeRead?: (() => void) | undefined;
  /**
   * Peer of the request, behind a proxy that terminates TLS and forwards the certificate; default the peer of the
   * socket.
   */
  readonly peer?: Peer | undefined;
}

/** Options of a request of our own listener. */
export interface RequestOptions extends ToApiRequestOptions {
  /** Counts what is read of the body. */
  readonly reads?: Pick<ReadTurns, 'pieces' | 'joined'> | undefined;
}

/**
 * Converts a Node request (HTTP/1.1 or HTTP/2) for the server. Copies nothing: header fields, peer and abort signal are
 * read on demand.
 *
 * @param response the Node response, whose close means that the client has disconnected
 */
export function toApiRequest(request: NodeRequest, response: NodeResponse, options?: ToApiRequestOptions): ApiRequest {
  return apiRequestOf(request, response, options);
}

/** Does the same as {@link toApiRequest} for our own listener. */
export function apiRequestOf(request: NodeRequest, response: NodeResponse, options?: RequestOptions): ApiRequest {
  return new NodeApiRequest(
    request,
    { response, beforeRead: options?.beforeRead, reads: options?.reads },
    response,
    options?.prefix ?? '',
    options?.peer,
  );
}

/**
 * Converts an upgrade request, which has a socket instead of a response, for the server. The signal aborts when the
 * socket closes.
 */
export function upgradeToApiRequest(request: NodeRequest, socket: Socket, prefix: string): ApiRequest {
  return new NodeApiRequest(request, { response: undefined }, socket, prefix);
}

/** The fields are getters on the prototype: pass the object itself on, because a spread copy loses them. */
class NodeApiRequest implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #request: NodeRequest;
  readonly #context: BodyContext;
  readonly #connection: NodeResponse | Socket;
  #headers: RequestHeaders | undefined;
  #peer: Peer | undefined;
  #signal: AbortSignal | undefined;

  constructor(
    request: NodeRequest,
    context: BodyContext,
    connection: NodeResponse | Socket,
    prefix: string,
    peer?: Peer,
  ) {
    const { path, query } = splitTarget(request.url ?? '/');
    this.method = request.method ?? 'GET';
    this.path = stripPrefix(path, prefix);
    this.query = query;
    this.#request = request;
    this.#context = context;
    this.#connection = connection;
    this.#peer = peer;
  }

  get headers(): RequestHeaders {
    return (this.#headers ??= new NodeRequestHeaders(this.#request.rawHeaders));
  }

  get peer(): Peer {
    return (this.#peer ??= new NodePeer(this.#request));
  }

  get signal(): AbortSignal {
    return (this.#signal ??= goneSignal(this.#connection));
  }

  get isGone(): boolean {
    return hasGone(this.#connection);
  }

  whenAnswered(done: () => void): void {
    const connection = this.#connection;
    if ('req' in connection ? isGone(connection) : connection.destroyed) done();
    else connection.once('close', done);
  }

  breakOff(): void {
    const connection = this.#connection;
    if ('req' in connection) reset(connection);
    else connection.destroy();
  }

  arrivedBody(limit: number): Uint8Array | undefined {
    return arrivedBody(this.#request, limit);
  }

  body(limit: number, onChunk?: (bytes: number) => void): Promise<Uint8Array> {
    return readBody(this.#request, this.#context, limit, onChunk);
  }
}

/** The reason of all signals: one for each signal would record where it was made, which takes longer than the rest. */
const GONE = new DOMException('the client has disconnected', 'AbortError');

/** Returns a signal that aborts when the connection closes; for a response, when it closes before it is complete. */
function goneSignal(connection: NodeResponse | Socket): AbortSignal {
  const controller = new AbortController();
  const gone = (): void => {
    if (!('req' in connection) || !connection.writableEnded) controller.abort(GONE);
  };
  if (hasGone(connection)) gone();
  // Thousands of WebSockets may close in one turn, and each ends a watch or a connection, and writes a line of the log.
  else connection.once('close', 'req' in connection ? gone : () => inSharedTurn(gone));
  return controller.signal;
}

/** Returns whether the connection has closed; for a response, before it was complete. */
function hasGone(connection: NodeResponse | Socket): boolean {
  return 'req' in connection ? isGone(connection) && !connection.writableEnded : connection.destroyed;
}
