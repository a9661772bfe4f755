import type { Clock } from '../../meta/clock.js';
import { sendWithin, type HttpClient, type OutboundRequest } from '../../outbound/index.js';
import type { OidcLimits } from './limits.js';

/** An answer of a provider. */
export interface ProviderAnswer {
  readonly text: string;
  /** The `Cache-Control` header. */
  readonly cacheControl: string | undefined;
}

/** Reads documents of a provider. */
export type ReadDocument = (
  url: string,
  options?: { readonly accessToken?: string; readonly signal?: AbortSignal },
) => Promise<ProviderAnswer>;

/** How {@link documentReader} reads. */
export interface DocumentReaderOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** PEM; default the authorities of the host. */
  readonly certificateAuthority?: string | undefined;
  readonly limits: OidcLimits;
  /** Ends every request. */
  readonly signal: AbortSignal;
}

/** Reads by GET over https, from nowhere else, within the limits of time and length. Redirects are not followed. */
export function documentReader({
  http,
  clock,
  certificateAuthority = '',
  limits,
  signal,
}: DocumentReaderOptions): ReadDocument {
  return async (url, { accessToken = '', signal: caller } = {}) => {
    if (!isHttpsUrl(url)) throw new Error(`${JSON.stringify(url)} is no https URL`);
    const request: OutboundRequest = {
      url,
      headers: {
        accept: 'application/json, application/jwt',
        ...(accessToken === '' ? {} : { authorization: `Bearer ${accessToken}` }),
      },
      ...(certificateAuthority === '' ? {} : { tls: { certificateAuthority } }),
      maxBytes: limits.maxDocumentBytes,
      signal: caller === undefined ? signal : AbortSignal.any([signal, caller]),
    };
    const response = await sendWithin(http, request, { clock, timeoutMs: limits.requestTimeoutMs });
    if (response.status !== 200) {
      const redirect = response.status >= 300 && response.status < 400 ? ', a redirect, which is not followed' : '';
      throw new Error(`GET ${shownUrl(url)}: the answer is ${response.status}${redirect}`);
    }
    return { text: new TextDecoder().decode(response.body), cacheControl: response.header('cache-control') };
  };
}

/** True for a URL that begins with https:// and has no user name or password. */
export function isHttpsUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' && url.username === '' && url.password === '';
}

/** A URL as messages show it: without its query, which may be secret. */
function shownUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

/**
 * Reads a JSON object.
 *
 * @param what what it is, for the message
 * @throws Error when it is none
 */
export function parseJsonObject(text: string, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text.
    throw new Error(`${what} is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${what} is not a JSON object`);
  return value as Record<string, unknown>;
}
