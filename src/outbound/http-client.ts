/**
 * Requests that the server itself sends: to an OpenID provider, to a webhook. Like what comes in, they are plain records; a
 * platform's client carries them out.
 *
 * @module
 */

/** How the other side is trusted, and how this side proves itself. All PEM; an empty text is as good as none. */
export interface OutboundTls {
  /** Authorities that the server's certificate must end in; default those of the host. */
  readonly certificateAuthority?: string | undefined;
  /** Certificate of this side, followed by its intermediates; with {@link OutboundTls.key}. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Name that the server's certificate must have; default the host of the URL. */
  readonly serverName?: string | undefined;
  /** Takes any certificate. Insecure. */
  readonly insecureSkipVerify?: boolean | undefined;
}

/** A request to somebody else. */
export interface OutboundRequest {
  /** http or https, without user name and password: they belong into a header. */
  readonly url: string;
  /** In upper case; default `GET`. */
  readonly method?: string | undefined;
  /** Names in lower case; a list is sent as one field for each value. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly body?: string | undefined;
  readonly tls?: OutboundTls | undefined;
  /** Longest answer that is taken, in bytes. */
  readonly maxBytes: number;
  /** Ends the request. Who sets a time limit makes it with the injected clock: `sendWithin()`. */
  readonly signal?: AbortSignal | undefined;
}

/** The answer. A redirect is an answer like any other: nobody follows it. */
export interface OutboundResponse {
  readonly status: number;
  /** A header field by its name in lower case. */
  header(name: string): string | undefined;
  readonly body: Uint8Array;
}

/**
 * Sends a request. Never follows a redirect.
 *
 * @throws Error when there is no answer, or one longer than `maxBytes`; its message names neither body nor credentials
 */
export type HttpClient = (request: OutboundRequest) => Promise<OutboundResponse>;
