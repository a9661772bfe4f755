/**
 * The service accounts of a server: what makes their tokens and knows them again, and the documents by which others check them. Loaded
 * when somebody first shows a token, or asks for one.
 *
 * @module
 */
import type { TokenAuthenticator } from '../authn/authenticator.js';
import type { ServiceAccountLookup } from '../authn/service-account/lookup.js';
import { checkLongestExpiration } from '../authn/service-account/token-request.js';
import type { Clock, Entropy } from '../meta/clock.js';
import type { Dialect } from '../names/dialect.js';
import type { DocumentSource } from '../server/non-resource-routes.js';
import type { Storage } from '../storage/index.js';
import { JSON_WEB_KEY_SET_PATH, OPENID_CONFIGURATION_PATH } from '../tokens/openid-discovery.js';
import type { ServiceAccountTokens } from './service-account-tokens.js';

/** How tokens of service accounts are made and checked. Everything has a default. */
export interface ServiceAccountOptions {
  /** Accepted `iss`, of which the first is written. Default `https://<product>.default.svc.cluster.local`. */
  readonly issuers?: readonly string[] | undefined;
  /** Private key that signs, PEM (RSA, or ECDSA on P-256, P-384, P-521). Default: one is made and kept in the storage. */
  readonly signingKey?: string | undefined;
  /** Further keys that check tokens, PEM: those of before a rotation, and those of other servers. The signing key's own need not be among them. */
  readonly verificationKeys?: readonly string[] | undefined;
  /** Longest time that a token lasts, in seconds: 3600 to 2^32. Default: what may be asked for. */
  readonly maxTokenExpirationSeconds?: number | undefined;
  /** Tokens that pods are given without asking last a year, and are marked when they are used after their time. Default true. */
  readonly extendTokenExpiration?: boolean | undefined;
  /** Legacy tokens die with their Secret and account. Default true; the others always do. */
  readonly lookup?: boolean | undefined;
  /** Where others find the keys; default {@link JSON_WEB_KEY_SET_PATH} below the issuer. https. */
  readonly jwksUri?: string | undefined;
}

/** What the service accounts of a server need of it. */
export interface ServiceAccountParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly storage: Storage;
  readonly apiAudiences: readonly string[];
  readonly lookup: ServiceAccountLookup;
}

/** The service accounts of a server. */
export class ServiceAccounts {
  readonly #options: ServiceAccountOptions;
  readonly #parts: ServiceAccountParts;
  #loaded: ServiceAccountTokens | undefined;

  /** @throws RangeError when the longest time is out of bounds */
  constructor(options: ServiceAccountOptions, parts: ServiceAccountParts) {
    checkLongestExpiration(options.maxTokenExpirationSeconds);
    this.#options = options;
    this.#parts = parts;
  }

  /** Knows tokens. */
  readonly authenticate: TokenAuthenticator = (token, request) =>
    this.#loaded === undefined
      ? this.tokens().then(({ authenticate }) => authenticate(token, request))
      : this.#loaded.authenticate(token, request);

  /** What makes tokens and knows them. */
  async tokens(): Promise<ServiceAccountTokens> {
    const { ServiceAccountTokens } = await import('./service-account-tokens.js');
    return (this.#loaded ??= new ServiceAccountTokens(this.#options, this.#parts));
  }

  /** The documents by which others check tokens, by path. An issuer that is no https URL has none. */
  documents(): ReadonlyMap<string, DocumentSource> {
    return new Map<string, DocumentSource>([
      [OPENID_CONFIGURATION_PATH, async () => (await this.tokens()).openIdConfiguration()],
      [JSON_WEB_KEY_SET_PATH, async () => (await this.tokens()).keySet()],
    ]);
  }
}
