/**
 * The ways to post to a webhook. In a file of their own, because programs make them before a server loads the rest.
 *
 * @module
 */
import type { HttpClient, OutboundRequest, OutboundResponse, OutboundTls } from './http-client.js';

/** Default maximum size of a response, in bytes. */
export const DEFAULT_MAX_BYTES = 1024 * 1024;

/**
 * Posts a JSON body to a fixed URL. Follows no redirect.
 *
 * @throws Error when there is no response. A `code` in the error or its cause states the reason, as in the host's
 * network errors
 */
export type WebhookPost = (body: string, signal: AbortSignal) => Promise<OutboundResponse>;

/** A connection to one server with its credentials, such as one of a kubeconfig. */
export interface WebhookConnection {
  request(request: {
    [Name in 'method' | 'headers' | 'body' | 'maxBytes' | 'signal']: NonNullable<OutboundRequest[Name]>;
  }): Promise<OutboundResponse>;
}

/** Returns a post over a connection, to its own URL. */
export function connectionPost(connection: WebhookConnection, maxBytes = DEFAULT_MAX_BYTES): WebhookPost {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  return (body, signal) => connection.request({ method: 'POST', headers, body, maxBytes, signal });
}

/** The endpoint of a webhook. */
export interface WebhookEndpoint {
  readonly url: string;
  readonly tls?: OutboundTls | undefined;
  /** Additional headers, such as `authorization`; names in lower case. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Maximum size of the response, in bytes. Default 1 MiB. */
  readonly maxBytes?: number | undefined;
}

/** Returns a post to a URL through a client. */
export function webhookPost(client: HttpClient, { url, tls, headers, maxBytes }: WebhookEndpoint): WebhookPost {
  return connectionPost(
    { request: (request) => client({ url, tls, ...request, headers: { ...request.headers, ...headers } }) },
    maxBytes,
  );
}
