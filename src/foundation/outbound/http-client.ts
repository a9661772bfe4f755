/**
 * Requests that the server itself sends, for example to an OpenID provider or a webhook. They are plain records, like
 * incoming requests; a client of the platform sends them.
 *
 * @module
 */

/** TLS options: the trusted authorities and the client certificate. All in PEM; an empty string equals undefined. */
export interface OutboundTls {
  /** Certificate authorities of the server; default those of the host. */
  readonly certificateAuthority?: string | undefined;
  /** Client certificate, followed by its intermediates; requires {@link OutboundTls.key}. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Name that the server's certificate must contain; default the host of the URL. */
  readonly serverName?: string | undefined;
  /** Accepts any certificate. Insecure. */
  readonly insecureSkipVerify?: boolean | undefined;
}

/** An outgoing request. */
export interface OutboundRequest {
  /** An http or https URL without user name and password, which belong in a header. */
  readonly url: string;
  /** Method in upper case; default `GET`. */
  readonly method?: string | undefined;
  /** Headers by lower-case name; a list is sent as one field per value. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly body?: string | undefined;
  readonly tls?: OutboundTls | undefined;
  /** Maximum size of the response, in bytes. */
  readonly maxBytes: number;
  /**
   * Called with the length of each chunk of the response before the chunk is buffered. An error that it throws ends the
   * request, which fails with it.
   */
  readonly onChunk?: ((bytes: number) => void) | undefined;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

/** The response. Redirects are returned, never followed. */
export interface OutboundResponse {
  readonly status: number;
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
}

/**
 * Sends a request. Never follows a redirect.
 *
 * @throws Error when there is no response or it exceeds `maxBytes`; the message contains neither body nor credentials
 */
export type HttpClient = (request: OutboundRequest) => Promise<OutboundResponse>;
