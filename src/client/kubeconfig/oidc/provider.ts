/**
 * The requests of the auth provider `oidc` to the issuer of its tokens.
 *
 * @see OpenID Connect Core 1.0 section 12; RFC 6749 section 6
 * @module
 */
import {
  decodeUtf8Lossy,
  isJsonObject,
  parsedJson,
  stringOrEmpty,
  type JsonObject,
  type OutboundResponse,
} from '../../../foundation/index.js';
import { askForTokens, providerTls, TOKEN_ERROR_CODE, type ProviderClient } from '../../../security/index.js';
import { CredentialError } from '../../wire/credential.js';

/** The client of an issuer. */
export interface OidcClient extends ProviderClient {
  readonly issuer: string;
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

/** Returns new tokens for a refresh token. @throws CredentialError that contains no token */
export async function refreshed(client: OidcClient, refreshToken: string, signal: AbortSignal): Promise<OidcTokens> {
  const endpoint = await tokenEndpoint(client, signal);
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
  const answer = await askForTokens(client, endpoint, grant, signal);
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
  const answer = await http({ url, maxBytes: MAX_BYTES, signal, ...providerTls(url, certificateAuthority) });
  if (answer.status !== OK) throw new CredentialError(`oidc: failed to query metadata endpoint: ${answer.status}`);
  const endpoint = stringOrEmpty(objectIn(answer, 'the discovery document')['token_endpoint']);
  if (endpoint === '') throw new CredentialError("oidc: discovery object doesn't contain a token_endpoint");
  if (!endpoint.startsWith('https://') && issuer.startsWith('https://'))
    throw new CredentialError('oidc: the token endpoint of an issuer at https:// must be at https://');
  return endpoint;
}

/** @throws CredentialError for a failure, with its code */
function objectIn({ status, body }: OutboundResponse, what: string): JsonObject {
  const value = parsedJson(decodeUtf8Lossy(body));
  if (status === OK && isJsonObject(value)) return value;
  const code = isJsonObject(value) ? stringOrEmpty(value['error']) : '';
  const why = TOKEN_ERROR_CODE.test(code) ? `${status} ${code}` : String(status);
  throw new CredentialError(
    status === OK
      ? `oidc: ${what} is not a JSON object`
      : `failed to refresh token: oauth2: cannot fetch token: ${why}`,
  );
}
