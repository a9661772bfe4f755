import {
  definedOnly,
  encodeUtf8,
  latin1,
  messageOf,
  untilAborted,
  type HttpClient,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundTls,
} from '../../foundation/index.js';
import type { Credential, CredentialSource } from './credentials.js';
import { CredentialError } from './errors.js';
import { requestUrl } from './server-url.js';

type Fields = NonNullable<OutboundRequest['headers']>;

/** A request to the server of a connection. */
export interface ConnectionRequest {
  /** HTTP method in upper case; default `GET`. */
  readonly method?: string | undefined;
  /** Path below the server's path, with a leading slash and optional query; default empty. */
  readonly path?: string | undefined;
  /** Header fields, names in lower case. `authorization` and `impersonate-user` override the configuration. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly body?: string | undefined;
  /** Maximum size of the response, in bytes. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
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

const UNAUTHORIZED = 401;

/** Parts of an {@link HttpConnection}. */
export interface HttpConnectionParts {
  readonly http: HttpClient;
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
export class HttpConnection implements Connection {
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

  async request(request: ConnectionRequest = {}): Promise<OutboundResponse> {
    const { source, warn } = this.#parts;
    const { signal } = request;
    signal?.throwIfAborted();
    // A plugin whose token would be overridden does not run.
    if (source === undefined || (source.replace !== undefined && request.headers?.['authorization'] !== undefined))
      return this.#send(request, {});
    const credential = await current(source, signal);
    const response = await this.#send(request, credential);
    if (response.status !== UNAUTHORIZED || source.replace === undefined) return response;
    let other: Credential;
    try {
      other = await untilAborted(source.replace(credential), signal);
    } catch (error) {
      signal?.throwIfAborted();
      warn(new CredentialError(`refreshing credentials: ${messageOf(error)}`, { cause: error }));
      return response;
    }
    return this.#send(request, other);
  }

  #send(request: ConnectionRequest, { authorization, certificate, key }: Credential): Promise<OutboundResponse> {
    const { http, server, tls, maxBytes } = this.#parts;
    const { method, path = '', headers = {}, body, signal } = request;
    const outbound: OutboundRequest = {
      url: requestUrl(server, path),
      headers: {
        ...(headers['impersonate-user'] === undefined ? this.#impersonation : {}),
        ...definedOnly({ authorization: authorization === undefined ? undefined : fieldText(authorization) }),
        ...headers,
      },
      maxBytes: request.maxBytes ?? maxBytes,
      method,
      body,
      signal,
      tls:
        tls === undefined
          ? undefined
          : { ...tls, ...(certificate === undefined || key === undefined ? {} : { certificate, key }) },
    };
    return http(outbound);
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

/** Encodes a value for a header field: each byte of its UTF-8 becomes one character. */
function fieldText(value: string): string {
  return latin1(encodeUtf8(value));
}
