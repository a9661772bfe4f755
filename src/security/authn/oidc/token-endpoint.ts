import { encodeBase64Text, type HttpClient, type OutboundResponse } from '../../../foundation/index.js';

/** A client of a provider. */
export interface ProviderClient {
  readonly clientId: string;
  /** Empty for a client without one. */
  readonly clientSecret: string;
  /** Certificate authorities of the provider, in PEM; undefined for those of the host. */
  readonly certificateAuthority: string | undefined;
  readonly http: HttpClient;
}

/** Maximum size of a response, in bytes. */
const MAX_BYTES = 1024 * 1024;
const UNAUTHORIZED = 401;

/**
 * Asks the token endpoint of a provider for tokens (RFC 6749 section 4.1.3 and 6). It sends the client's secret in a
 * header, or in the body to providers that do not take that.
 *
 * @param grant the parameters besides those of the client, such as `grant_type`
 */
export async function askForTokens(
  { clientId, clientSecret, http, certificateAuthority }: ProviderClient,
  url: string,
  grant: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const ask = (headers: Record<string, string>, body: Record<string, string>): Promise<OutboundResponse> =>
    http({
      ...{ url, method: 'POST', maxBytes: MAX_BYTES, signal, ...providerTls(url, certificateAuthority) },
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: new URLSearchParams(body).toString(),
    });
  const inBody = (): Promise<OutboundResponse> =>
    ask({}, { ...grant, client_id: clientId, ...(clientSecret === '' ? {} : { client_secret: clientSecret }) });
  if (clientSecret === '') return inBody();
  const pair = [clientId, clientSecret].map(encodeURIComponent).join(':');
  const answer = await ask({ authorization: `Basic ${encodeBase64Text(pair)}` }, grant);
  return answer.status === UNAUTHORIZED ? inBody() : answer;
}

/** Returns the option of a request that trusts an authority: none for a URL without TLS. */
export const providerTls = (url: string, certificateAuthority: string | undefined) =>
  certificateAuthority !== undefined && url.startsWith('https://') ? { tls: { certificateAuthority } } : {};

/** Codes of errors (RFC 6749 section 5.2). */
export const TOKEN_ERROR_CODE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,100}$/;
