import {
  definedOnly,
  parseShortJson,
  sendWithin,
  TooManyValues,
  type Clock,
  type HttpClient,
  type OutboundRequest,
} from '../../../foundation/index.js';
import type { OidcLimits } from './limits.js';

/** A response of a provider. */
export interface ProviderAnswer {
  readonly text: string;
  /** The `Cache-Control` header. */
  readonly cacheControl: string | undefined;
}

/** Reads a document of a provider. */
export type ReadDocument = (
  url: string,
  options?: { readonly accessToken?: string | undefined; readonly signal?: AbortSignal | undefined },
) => Promise<ProviderAnswer>;

/** Options of {@link documentReader}. */
export interface DocumentReaderOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** PEM; default the authorities of the host. */
  readonly certificateAuthority?: string | undefined;
  readonly limits: OidcLimits;
  /** Aborts every request. */
  readonly signal: AbortSignal;
}

/** Creates a reader that uses GET over https only, within time and size limits. Redirects are not followed. */
export function documentReader({
  http,
  clock,
  certificateAuthority = '',
  limits,
  signal,
}: DocumentReaderOptions): ReadDocument {
  return async (url, { accessToken = '', signal: caller } = {}) => {
    if (!isHttpsUrl(url)) throw new Error(`${JSON.stringify(url)} is not an https URL`);
    const request: OutboundRequest = {
      url,
      headers: {
        accept: 'application/json, application/jwt',
        ...definedOnly({ authorization: accessToken === '' ? undefined : `Bearer ${accessToken}` }),
      },
      tls: certificateAuthority === '' ? undefined : { certificateAuthority },
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

/** True for an https URL without user name and password. */
export function isHttpsUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return url.protocol === 'https:' && url.username === '' && url.password === '';
}

/** Returns a URL for messages, without its query, which can be secret. */
function shownUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return origin + pathname;
}

/**
 * Parses a JSON object.
 *
 * @param what subject of the error message
 * @throws Error when the text is not a JSON object
 */
export function parseJsonObject(text: string, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseShortJson(text);
  } catch (error) {
    if (error instanceof TooManyValues) throw new Error(`${what} is too large: ${error.message}`, { cause: error });
    // The parser's message would quote the text.
    throw new Error(`${what} is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${what} is not a JSON object`);
  return value as Record<string, unknown>;
}
