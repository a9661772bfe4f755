/**
 * Service accounts of a server: token issuer, authenticator and documents for external verification. Loaded for the
 * first token.
 *
 * @module
 */
import {
  durationMs,
  loading,
  type Clock,
  type Dialect,
  type Duration,
  type Entropy,
  type Logger,
} from '../../foundation/index.js';
import {
  JSON_WEB_KEY_SET_PATH,
  longestExpirationSeconds,
  OPENID_CONFIGURATION_PATH,
  type ServiceAccountLookup,
  type TokenAuthenticator,
} from '../../security/index.js';
import type { DocumentSource } from '../../server/index.js';
import type { Storage } from '../../storage/index.js';
import type { KeyLifetime } from './key-lifetime.js';
import type { ServiceAccountTokens } from './service-account-tokens.js';

/** Options of service account tokens. All are optional. */
export interface ServiceAccountOptions {
  /** Accepted issuers; the first is used for new tokens. Default `https://<product>.default.svc.cluster.local`. */
  readonly issuers?: readonly string[] | undefined;
  /** Private signing key, PEM (RSA, or ECDSA on P-256, P-384, P-521). Default: a generated key in the storage. */
  readonly signingKey?: string | undefined;
  /**
   * Time for which a generated key signs, at least a day. Before it ends, the servers of the storage exchange the key as
   * `rotateSigningKey()` does. Default: a key signs until it is exchanged by that method. Cannot be combined with
   * `signingKey`.
   */
  readonly signingKeyLifetime?: Duration | undefined;
  /**
   * Additional verification keys, PEM: for example from before a rotation, or of other servers. The signing key's
   * public key is included automatically.
   */
  readonly verificationKeys?: readonly string[] | undefined;
  /** Maximum lifetime of a token: one hour to 2^32 seconds. Default: the maximum of a request. */
  readonly maxTokenExpiration?: Duration | undefined;
  /**
   * Whether injected pod tokens are valid for a year, and marked when used after their requested lifetime. Default
   * true.
   */
  readonly extendTokenExpiration?: boolean | undefined;
  /**
   * Whether legacy tokens become invalid when their Secret or account is deleted. Default true; other tokens always
   * become invalid with the objects that they are bound to.
   */
  readonly lookup?: boolean | undefined;
  /** URL of the published keys; default {@link JSON_WEB_KEY_SET_PATH} below the issuer. Must be https. */
  readonly jwksUri?: string | undefined;
}

/** Dependencies of {@link ServiceAccounts}. */
export interface ServiceAccountParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly storage: Storage;
  readonly logger: Logger;
  readonly apiAudiences: readonly string[];
  readonly lookup: ServiceAccountLookup;
}

/** Service accounts of one server. */
export class ServiceAccounts {
  readonly #options: ServiceAccountOptions;
  readonly #parts: ServiceAccountParts;
  #loaded: ServiceAccountTokens | undefined;
  #keyLifetime: KeyLifetime | undefined;
  #isClosed = false;

  /** @throws RangeError when the maximum lifetime is out of range */
  constructor(options: ServiceAccountOptions, parts: ServiceAccountParts) {
    longestExpirationSeconds(options.maxTokenExpiration);
    this.#options = options;
    this.#parts = parts;
  }

  /** Authenticates tokens. */
  readonly authenticate: TokenAuthenticator = (token, request) =>
    this.#loaded === undefined
      ? this.tokens().then(({ authenticate }) => authenticate(token, request))
      : this.#loaded.authenticate(token, request);

  /** Returns the issuer and authenticator. */
  async tokens(): Promise<ServiceAccountTokens> {
    const { ServiceAccountTokens } = await import('./service-account-tokens.js');
    return (this.#loaded ??= new ServiceAccountTokens(this.#options, this.#parts));
  }

  /** Begins to watch the age of the signing key, if the options limit it. */
  async start(): Promise<void> {
    const { signingKeyLifetime: lifetime } = this.#options;
    if (lifetime === undefined) return;
    const { stored: keys } = await this.tokens();
    const { KeyLifetime } = await loading(import('./key-lifetime.js'));
    if (keys === undefined || this.#isClosed) return;
    this.#keyLifetime ??= new KeyLifetime({ ...this.#parts, keys, lifetimeMs: durationMs(lifetime) });
    await this.#keyLifetime.start();
  }

  /** Stops background work. */
  close(): void {
    this.#isClosed = true;
    this.#keyLifetime?.close();
    this.#loaded?.close();
  }

  /** Returns the documents for external verification, by path. An issuer that is not an https URL has none. */
  documents(): ReadonlyMap<string, DocumentSource> {
    return new Map<string, DocumentSource>([
      [OPENID_CONFIGURATION_PATH, async () => (await this.tokens()).openIdConfiguration()],
      [JSON_WEB_KEY_SET_PATH, async () => (await this.tokens()).keySet()],
    ]);
  }
}
