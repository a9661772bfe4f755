/**
 * The auth provider `oidc` of a configuration: an ID token that is refreshed when it expires.
 *
 * @see release 1.31, `plugin/pkg/client/auth/oidc/oidc.go` of client-go
 * @module
 */
import { decodeBase64, decodeUtf8Lossy, messageOf, type Clock, type HttpClient } from '../../../foundation/index.js';
import { bearer, CredentialError, type Credential, type CredentialSource } from '../../wire/credential.js';
import type { AuthProviderConfig } from '../config.js';
import { KubeConfigError } from '../errors.js';
import { readBoundedFile } from '../files.js';
import { checkAuthorities } from '../key-pair.js';
import { expiryOf } from './id-token.js';
import { refreshed, type OidcClient, type OidcTokens } from './provider.js';
import { storedTokens, storeTokens } from './token-store.js';

/** Time before its expiry from which on a token is no longer used, in milliseconds. */
const EXPIRY_MARGIN_MS = 10_000;
/** Time for all requests of a refresh, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Options of the auth provider. */
export interface OidcOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly maxFileBytes: number;
  readonly warn: (error: Error) => void;
}

/** Returns the credentials of the auth provider. @throws KubeConfigError for a configuration without issuer or client */
export async function oidcCredentials(
  { config, source }: AuthProviderConfig,
  options: OidcOptions,
): Promise<CredentialSource> {
  const { http, maxFileBytes } = options;
  const client: OidcClient = {
    issuer: required(config, 'idp-issuer-url'),
    clientId: required(config, 'client-id'),
    clientSecret: config.get('client-secret') ?? '',
    certificateAuthority: await authorityOf(config, maxFileBytes),
    http,
  };
  const tokens = { idToken: config.get('id-token') ?? '', refreshToken: config.get('refresh-token') ?? '' };
  return new OidcCredentials(client, tokens, source, options);
}

function required(config: ReadonlyMap<string, string>, name: string): string {
  const value = config.get(name) ?? '';
  if (value === '') throw new KubeConfigError(`Must provide ${name}`);
  return value;
}

async function authorityOf(config: ReadonlyMap<string, string>, maxBytes: number): Promise<string | undefined> {
  const data = config.get('idp-certificate-authority-data') ?? '';
  const file = config.get('idp-certificate-authority') ?? '';
  if (data !== '') {
    const bytes = decodeBase64(data);
    if (bytes === undefined) throw new KubeConfigError('idp-certificate-authority-data is not base64');
    return checkAuthorities(decodeUtf8Lossy(bytes));
  }
  return file === '' ? undefined : checkAuthorities((await readBoundedFile(file, maxBytes)).toString('utf8'));
}

class OidcCredentials implements CredentialSource {
  readonly #client: OidcClient;
  readonly #source: AuthProviderConfig['source'];
  readonly #options: OidcOptions;
  #tokens: OidcTokens;
  #refreshing: Promise<OidcTokens> | undefined;

  constructor(client: OidcClient, tokens: OidcTokens, source: AuthProviderConfig['source'], options: OidcOptions) {
    this.#client = client;
    this.#tokens = tokens;
    this.#source = source;
    this.#options = options;
  }

  get(): Credential | Promise<Credential> {
    return this.#isCurrent(this.#tokens) ? credentialOf(this.#tokens) : this.#refreshed('');
  }

  async replace({ authorization }: Credential): Promise<Credential> {
    const current = credentialOf(this.#tokens);
    // Another request has refreshed the token meanwhile.
    if (current.authorization !== authorization && this.#isCurrent(this.#tokens)) return current;
    return this.#refreshed(this.#tokens.idToken);
  }

  #isCurrent({ idToken }: OidcTokens): boolean {
    const expiry = expiryOf(idToken);
    return expiry !== undefined && expiry - EXPIRY_MARGIN_MS > this.#options.clock.now();
  }

  /** Concurrent requests share a refresh. @param refused a token that the server has refused */
  async #refreshed(refused: string): Promise<Credential> {
    this.#refreshing ??= this.#refresh(refused).finally(() => (this.#refreshing = undefined));
    return credentialOf(await this.#refreshing);
  }

  async #refresh(refused: string): Promise<OidcTokens> {
    const stored = await this.#stored();
    // Another program has refreshed the token, and maybe used up the refresh token.
    if (stored.idToken !== refused && this.#isCurrent(stored)) return (this.#tokens = stored);
    if (stored.refreshToken === '')
      throw new CredentialError('No valid id-token, and cannot refresh without refresh-token');
    const tokens = await this.#ask(stored.refreshToken);
    this.#tokens = tokens;
    await this.#store(tokens);
    return tokens;
  }

  async #ask(refreshToken: string): Promise<OidcTokens> {
    const late = new AbortController();
    const timer = this.#options.clock.after(TIMEOUT_MS, () => late.abort(new Error('the issuer does not answer')));
    try {
      return await refreshed(this.#client, refreshToken, late.signal);
    } finally {
      timer.cancel();
    }
  }

  async #stored(): Promise<OidcTokens> {
    if (this.#source === undefined) return this.#tokens;
    const stored = await storedTokens(this.#source, this.#options.maxFileBytes).catch(() => undefined);
    return stored ?? this.#tokens;
  }

  /** Writes the tokens back. They are used even if that fails, as in a file system that is read only. */
  async #store(tokens: OidcTokens): Promise<void> {
    if (this.#source === undefined) return;
    try {
      await storeTokens(this.#source, tokens, this.#options.maxFileBytes);
    } catch (error) {
      this.#options.warn(new CredentialError(`could not persist new tokens: ${messageOf(error)}`, { cause: error }));
    }
  }
}

const credentialOf = ({ idToken }: OidcTokens): Credential => ({ authorization: bearer(idToken) });
