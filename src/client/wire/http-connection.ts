import {
  definedOnly,
  messageOf,
  untilAborted,
  type HttpClient,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundSocket,
  type OutboundStream,
  type OutboundTls,
  type StreamedRequest,
  type StreamingHttpClient,
} from '../../foundation/index.js';
import { CredentialError, type Credential, type CredentialSource } from './credential.js';
import { fieldText } from './impersonation.js';
import { requestUrl } from './request-url.js';

type Fields = NonNullable<OutboundRequest['headers']>;

/** A request whose body, if it has one, is text. */
type TextRequest = StreamedRequest & { readonly body?: string | undefined };

/** A request to the server of a connection whose response is read while it arrives. */
export interface ConnectionStreamRequest extends Pick<StreamedRequest, 'signal' | 'lasting' | 'background'> {
  /** Body; default none. */
  readonly body?: string | undefined;
  /** HTTP method in upper case; default `GET`. */
  readonly method?: string | undefined;
  /** Path below the server's path, with a leading slash and optional query; default empty. */
  readonly path?: string | undefined;
  /** Header fields, names in lower case. `authorization` and `impersonate-user` override the configuration. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
}

/** A request to the server of a connection. */
export interface ConnectionRequest extends Omit<ConnectionStreamRequest, 'lasting' | 'background'> {
  /** Maximum size of the response, in bytes. */
  readonly maxBytes?: number | undefined;
}

/** A connection to a server as the user of a context. */
export interface Connection {
  /** URL of the server, without a trailing slash. */
  readonly server: URL;
  /** Namespace of the context. */
  readonly namespace: string | undefined;
  /**
   * Sends a request with the user's credentials. When the server refuses credentials of a plugin with 401, the plugin
   * runs again and the request is sent once more. Redirects are not followed.
   *
   * @throws CredentialError `getting credentials: …` when no credentials are available
   * @throws Error when no response arrives
   */
  request(request?: ConnectionRequest): Promise<OutboundResponse>;
}

/** A request for a WebSocket to the server of a connection. */
export interface ConnectionSocketRequest extends Pick<ConnectionStreamRequest, 'path' | 'headers' | 'signal'> {
  /** The subprotocols that the client knows, the best first. */
  readonly protocols: readonly string[];
}

/** A connection over a client that can read a response while it arrives. */
export interface StreamingConnection extends Connection {
  /** Sends a request like {@link Connection.request}, and resolves with the head of the response. */
  stream(request?: ConnectionStreamRequest): Promise<OutboundStream>;
  /**
   * Opens a WebSocket with the credentials of {@link Connection.request}. The signal ends the opening only.
   *
   * @returns the socket, or the response that refuses it
   * @throws TypeError when the HTTP client cannot do that; as {@link Connection.request}
   *
   * @internal
   */
  webSocket(request: ConnectionSocketRequest): Promise<OutboundSocket | OutboundStream>;
}

const UNAUTHORIZED = 401;

/** Parts of an {@link HttpConnection}. */
export interface HttpConnectionParts {
  readonly http: HttpClient | StreamingHttpClient;
  readonly server: URL;
  readonly namespace: string | undefined;
  readonly source: CredentialSource | undefined;
  readonly impersonation: ReadonlyMap<string, readonly string[]>;
  /** Undefined over plaintext HTTP. */
  readonly tls: OutboundTls | undefined;
  readonly maxBytes: number;
  readonly warn: (error: Error) => void;
}

/** A connection over an HTTP client. */
export class HttpConnection implements StreamingConnection {
  readonly server: URL;
  readonly namespace: string | undefined;
  readonly #impersonation: Fields;
  readonly #parts: HttpConnectionParts;

  constructor(parts: HttpConnectionParts) {
    this.#parts = parts;
    this.server = new URL(parts.server);
    this.namespace = parts.namespace;
    this.#impersonation = fieldsOf(parts.impersonation);
  }

  request(request: ConnectionRequest = {}): Promise<OutboundResponse> {
    const { http, maxBytes: most } = this.#parts;
    const { maxBytes = most } = request;
    return this.#authenticated(request, (outbound) => http({ ...outbound, maxBytes }));
  }

  /** @throws TypeError when the HTTP client of the connection cannot do that */
  async stream(request: ConnectionStreamRequest = {}): Promise<OutboundStream> {
    const { http } = this.#parts;
    if (!('stream' in http)) throw new TypeError('the HTTP client has no function stream');
    return this.#authenticated(request, http.stream, (refused) => refused.cancel());
  }

  async webSocket({ protocols, ...request }: ConnectionSocketRequest): Promise<OutboundSocket | OutboundStream> {
    const { http } = this.#parts;
    const open = 'webSocket' in http ? http.webSocket : undefined;
    if (open === undefined) throw new TypeError('the HTTP client of this connection cannot open a WebSocket');
    return this.#authenticated<OutboundSocket | OutboundStream>(
      request,
      ({ url, headers, tls, signal }) => open({ url, headers, tls, signal, protocols }),
      (refused) => ('cancel' in refused ? refused.cancel() : refused.close()),
    );
  }

  /** @param discard drops a response that is not returned */
  async #authenticated<Response extends { readonly status: number }>(
    request: ConnectionStreamRequest,
    send: (outbound: TextRequest) => Promise<Response>,
    discard?: (response: Response) => void,
  ): Promise<Response> {
    const { source, warn } = this.#parts;
    const { signal } = request;
    signal?.throwIfAborted();
    // A plugin whose token would be overridden does not run.
    if (source === undefined || (source.replace !== undefined && request.headers?.['authorization'] !== undefined))
      return send(this.#outbound(request, {}));
    const credential = await current(source, signal);
    const response = await send(this.#outbound(request, credential));
    if (response.status !== UNAUTHORIZED || source.replace === undefined) return response;
    let other: Credential;
    try {
      other = await untilAborted(source.replace(credential), signal);
    } catch (error) {
      signal?.throwIfAborted();
      warn(new CredentialError(`refreshing credentials: ${messageOf(error)}`, { cause: error }));
      return response;
    }
    discard?.(response);
    return send(this.#outbound(request, other));
  }

  #outbound(
    { method, path = '', headers = {}, body, signal, lasting, background }: ConnectionStreamRequest,
    { authorization, certificate, key }: Credential,
  ): TextRequest {
    const { server, tls } = this.#parts;
    return {
      url: requestUrl(server, path),
      headers: {
        ...(headers['impersonate-user'] === undefined ? this.#impersonation : {}),
        ...definedOnly({ authorization: authorization === undefined ? undefined : fieldText(authorization) }),
        ...headers,
      },
      ...{ method, body, signal, lasting, background },
      tls:
        tls === undefined
          ? undefined
          : { ...tls, ...(certificate === undefined || key === undefined ? {} : { certificate, key }) },
    };
  }
}

async function current(source: CredentialSource, signal: AbortSignal | undefined): Promise<Credential> {
  try {
    return await untilAborted(Promise.resolve(source.get()), signal);
  } catch (error) {
    signal?.throwIfAborted();
    throw new CredentialError(`getting credentials: ${messageOf(error)}`, { cause: error });
  }
}

function fieldsOf(headers: ReadonlyMap<string, readonly string[]>): Fields {
  return Object.fromEntries([...headers].map(([name, values]) => [name, values.map(fieldText)]));
}
