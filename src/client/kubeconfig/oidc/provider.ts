/**
 * The requests of the auth provider `oidc` to the issuer of its tokens.
 *
 * @see OpenID Connect Core 1.0 section 12; RFC 6749 section 6
 * @module
 */
import {
  decodeUtf8Lossy,
  encodeBase64Text,
  isJsonObject,
  parsedJson,
  stringOrEmpty,
  type HttpClient,
  type JsonObject,
  type OutboundResponse,
} from '../../../foundation/index.js';
import { CredentialError } from '../../wire/credential.js';

/** The client of an issuer. */
export interface OidcClient {
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a client without one. */
  readonly clientSecret: string;
  /** Certificate authorities of the issuer, in PEM; undefined for those of the host. */
  readonly certificateAuthority: string | undefined;
  readonly http: HttpClient;
}

/** The tokens of a user. */
export interface OidcTokens {
  readonly idToken: string;
  /** The refresh token for the next time. */
  readonly refreshToken: string;
}

/** Maximum size of a response of an issuer, in bytes. */
const MAX_BYTES = 1024 * 1024;
const OK = 200;
const UNAUTHORIZED = 401;

/** Returns new tokens for a refresh token. @throws CredentialError that contains no token */
export async function refreshed(client: OidcClient, refreshToken: string, signal: AbortSignal): Promise<OidcTokens> {
  const endpoint = await tokenEndpoint(client, signal);
  const answer = await askForTokens(client, endpoint, refreshToken, signal);
  const tokens = objectIn(answer, 'the token endpoint');
  const idToken = stringOrEmpty(tokens['id_token']);
  if (idToken === '')
    throw new CredentialError(
      'token response did not contain an id_token, either the scope "openid" wasn\'t requested upon login, or the provider doesn\'t support id_tokens as part of the refresh response.',
    );
  const next = stringOrEmpty(tokens['refresh_token']);
  return { idToken, refreshToken: next === '' ? refreshToken : next };
}

async function tokenEndpoint({ issuer, http, certificateAuthority }: OidcClient, signal: AbortSignal): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const answer = await http({ url, maxBytes: MAX_BYTES, signal, ...tlsOf(url, certificateAuthority) });
  if (answer.status !== OK) throw new CredentialError(`oidc: failed to query metadata endpoint: ${answer.status}`);
  const endpoint = stringOrEmpty(objectIn(answer, 'the discovery document')['token_endpoint']);
  if (endpoint === '') throw new CredentialError("oidc: discovery object doesn't contain a token_endpoint");
  if (!endpoint.startsWith('https://') && issuer.startsWith('https://'))
    throw new CredentialError('oidc: the token endpoint of an issuer at https:// must be at https://');
  return endpoint;
}

/** Sends the client's secret in a header, or in the body to issuers that do not take that. */
async function askForTokens(
  { clientId, clientSecret, http, certificateAuthority }: OidcClient,
  url: string,
  refreshToken: string,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const ask = (headers: Record<string, string>, body: Record<string, string>): Promise<OutboundResponse> =>
    http({
      ...{ url, method: 'POST', maxBytes: MAX_BYTES, signal, ...tlsOf(url, certificateAuthority) },
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

const tlsOf = (url: string, certificateAuthority: string | undefined) =>
  certificateAuthority !== undefined && url.startsWith('https://') ? { tls: { certificateAuthority } } : {};

/** Codes of errors (RFC 6749 section 5.2). */
const ERROR_CODE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,100}$/;

/** @throws CredentialError for a failure, with its code */
function objectIn({ status, body }: OutboundResponse, what: string): JsonObject {
  const value = parsedJson(decodeUtf8Lossy(body));
  if (status === OK && isJsonObject(value)) return value;
  const code = isJsonObject(value) ? stringOrEmpty(value['error']) : '';
  const why = ERROR_CODE.test(code) ? `${status} ${code}` : String(status);
  throw new CredentialError(
    status === OK
      ? `oidc: ${what} is not a JSON object`
      : `failed to refresh token: oauth2: cannot fetch token: ${why}`,
  );
}
