import type { Socket } from 'node:net';
import type { ApiRequest, Peer, RequestHeaders } from '../../server/http.js';
import { stripPrefix } from '../prefix.js';
import { splitTarget } from '../target.js';
import { readBody, type BodyContext } from './body.js';
import { isGone } from './gone.js';
import { NodePeer, type NodeRequest, type NodeResponse } from './peer.js';
import { NodeRequestHeaders } from './request-headers.js';

/** How {@link toApiRequest} reads a request. */
export interface ToApiRequestOptions {
  /** Prefix to take off the path, without a slash at its end. */
  readonly prefix?: string | undefined;
  /** Called just before the body is read, to send `100 Continue`. */
  readonly beforeRead?: (() => void) | undefined;
  /** Who sent the request, where the socket does not tell: behind something that ends TLS and passes the certificate on. */
  readonly peer?: Peer | undefined;
}

/**
 * Makes the server's request of Node's, for HTTP/1.1 and HTTP/2. Nothing is copied: fields, peer and abort signal are
 * looked up when they are asked for.
 *
 * @param response tells when the client goes away
 */
export function toApiRequest(request: NodeRequest, response: NodeResponse, options?: ToApiRequestOptions): ApiRequest {
  return new NodeApiRequest(
    request,
    { response, ...(options?.beforeRead && { beforeRead: options.beforeRead }) },
    response,
    options?.prefix ?? '',
    options?.peer,
  );
}

/** Makes the server's request of an upgrade, which has a socket and no response. The signal aborts when the socket closes. */
export function upgradeToApiRequest(request: NodeRequest, socket: Socket, prefix: string): ApiRequest {
  return new NodeApiRequest(request, { response: undefined }, socket, prefix);
}

/** The fields are getters on the prototype: pass the request on as it is, a spread copy would lose them. */
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

  body(limit: number, onChunk?: (bytes: number) => void): Promise<Uint8Array> {
    return readBody(this.#request, this.#context, limit, onChunk);
  }
}

/** A signal that aborts when the connection closes; for a response, when it closes before the answer is complete. */
function goneSignal(connection: NodeResponse | Socket): AbortSignal {
  const controller = new AbortController();
  const isResponse = 'req' in connection;
  const gone = (): void => {
    if (!isResponse || !connection.writableEnded) controller.abort();
  };
  if (isResponse ? isGone(connection) : connection.destroyed) gone();
  else connection.once('close', gone);
  return controller.signal;
}
