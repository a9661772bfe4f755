import {
  definedOnly,
  silentLogger,
  toError,
  wrapError,
  type Clock,
  type HttpClient,
  type Logger,
  type Optional,
} from '../../../foundation/index.js';
import { audienceAgnostic } from '../audiences.js';
import type { AuthResult, TokenAuthenticator } from '../authenticator.js';
import type { Claims, ClaimsMapper, JwtAuthenticatorConfiguration } from '../configuration/types.js';
import { checkSigningAlgorithms } from './algorithms.js';
import { createClaimResolver, type ClaimResolver } from './distributed-claims.js';
import { documentReader, isHttpsUrl } from './document.js';
import { parseToken, type UntrustedToken } from './id-token.js';
import { IssuerVerifier, type IssuerVerifierOptions } from './issuer-verifier.js';
import { DEFAULT_OIDC_LIMITS, type OidcLimits } from './limits.js';
import type { Waiter } from './wait.js';

/** Options of {@link createJwtAuthenticator}. */
export interface JwtAuthenticatorOptions {
  /** Provider, audiences and claim mappings. */
  readonly configuration: JwtAuthenticatorConfiguration;
  /** Maps claims to the user; `createFlagClaimsMapper()` for a configuration without expressions. */
  readonly mapClaims: ClaimsMapper;
  /** Default `RS256`; an AuthenticationConfiguration allows `ALL_SIGNING_ALGORITHMS`. */
  readonly signingAlgorithms?: readonly string[] | undefined;
  /** Audiences of the API server that a valid token receives; default none. */
  readonly apiAudiences?: readonly string[] | undefined;
  /** Must support custom authorities if the configuration has one. */
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly logger?: Logger | undefined;
  readonly limits?: Optional<OidcLimits> | undefined;
}

/** An authenticator for the tokens of one issuer. */
export interface JwtAuthenticator {
  /**
   * Authenticates a token. A text that is not a JSON Web Token, or a token of another issuer, gives no opinion. Other
   * invalid tokens give an error with the reason, which is for the log, not for the client.
   */
  readonly authenticate: TokenAuthenticator;
  readonly issuer: string;
  /** Resolves when the provider is discovered; never rejects. */
  readonly ready: Promise<void>;
  /** Returns the error while the provider is not discovered, then undefined. */
  healthCheck(): Error | undefined;
  /** Stops background work. Tokens are still checked with the current keys. */
  close(): void;
}

/**
 * Creates an authenticator for ID tokens of an OpenID provider (OpenID Connect Core; conventions.md, "Authentication").
 * The provider is discovered in the background with retries. Until then its tokens are refused with `oidc:
 * authenticator not initialized`.
 *
 * @throws Error when the configuration has no https issuer or no audience, or an unsupported algorithm
 */
export function createJwtAuthenticator(options: JwtAuthenticatorOptions): JwtAuthenticator {
  const { configuration, mapClaims, http, clock, logger: log = silentLogger, apiAudiences = [] } = options;
  const { issuer, claimMappings } = checkConfiguration(configuration);
  const algorithms = checkSigningAlgorithms(options.signingAlgorithms ?? []);
  const limits: OidcLimits = { ...DEFAULT_OIDC_LIMITS, ...definedOnly(options.limits ?? {}) };
  const lifetime = new AbortController();
  const read = documentReader({
    http,
    clock,
    certificateAuthority: issuer.certificateAuthority,
    limits,
    signal: lifetime.signal,
  });
  const terms: Omit<IssuerVerifierOptions, 'issuer'> = {
    audiences: issuer.audiences,
    algorithms,
    read,
    clock,
    limits,
    log,
  };
  const verifier = new IssuerVerifier({
    ...terms,
    issuer: issuer.url,
    discoveryURL: issuer.discoveryURL === '' ? undefined : issuer.discoveryURL,
  });
  const others = new ClaimIssuers(verifier, terms);
  const claim = claimMappings.groups?.claim ?? '';
  const resolve: ClaimResolver =
    claim === ''
      ? (claims) => Promise.resolve(claims)
      : createClaimResolver({ claim, read, verifierOf: (url) => others.verifierOf(url) });

  const authenticate: TokenAuthenticator = (text, request) => {
    if (text.length > limits.maxTokenBytes)
      return { error: new Error(`oidc: the token is longer than ${limits.maxTokenBytes} bytes`) };
    const token = tokenOf(text, issuer.url);
    if (token === undefined) return undefined;
    if (!verifier.initialized) return { error: new Error('oidc: authenticator not initialized') };
    return settled(userOf({ token, verifier, resolve, mapClaims }, request));
  };
  return {
    authenticate: audienceAgnostic(apiAudiences, authenticate),
    issuer: issuer.url,
    ready: verifier.ready,
    healthCheck: () => verifier.health,
    close() {
      lifetime.abort(new Error('the authenticator was closed'));
      verifier.close();
      others.close();
    },
  };
}

function checkConfiguration(configuration: JwtAuthenticatorConfiguration): JwtAuthenticatorConfiguration {
  const { url, discoveryURL = '', audiences } = configuration.issuer;
  if (!isHttpsUrl(url)) throw new Error('oidc: the issuer must be an https URL');
  if (discoveryURL !== '' && !isHttpsUrl(discoveryURL)) throw new Error('oidc: the discovery URL must be an https URL');
  if (audiences.length === 0) throw new Error('oidc: invalid configuration, audiences cannot be empty');
  return configuration;
}

/** Returns the parsed token when it claims this issuer. It is not verified yet. */
function tokenOf(text: string, issuer: string): UntrustedToken | undefined {
  try {
    const token = parseToken(text);
    return token.issuer === issuer ? token : undefined;
  } catch {
    return undefined;
  }
}

interface Steps {
  readonly token: UntrustedToken;
  readonly verifier: IssuerVerifier;
  readonly resolve: ClaimResolver;
  readonly mapClaims: ClaimsMapper;
}

async function userOf({ token, verifier, resolve, mapClaims }: Steps, waiter: Waiter): Promise<AuthResult> {
  await verifier.verify(token, waiter).catch((error: unknown) => {
    throw wrapError('oidc: verify token', error);
  });
  const claims: Claims = await resolve(token.claims, waiter).catch((error: unknown) => {
    throw wrapError('oidc: could not expand distributed claims', error);
  });
  return { user: await mapClaims(claims) };
}

/** Turns a rejection into an authentication error. */
function settled(result: Promise<AuthResult>): Promise<AuthResult> {
  return result.catch((error: unknown) => ({
    error: toError(error, 'oidc: the token could not be checked'),
  }));
}

/** Verifiers for the issuers of distributed claims. They are few; each is created on first use and kept. */
class ClaimIssuers {
  readonly #verifiers = new Map<string, IssuerVerifier>();
  readonly #own: IssuerVerifier;
  readonly #terms: Omit<IssuerVerifierOptions, 'issuer'>;

  /** @param own verifier of the provider itself, which can also issue distributed claims */
  constructor(own: IssuerVerifier, terms: Omit<IssuerVerifierOptions, 'issuer'>) {
    this.#own = own;
    this.#terms = terms;
  }

  /**
   * Returns the verifier of an issuer.
   *
   * @throws Error when the issuer is not an https URL, or there are too many issuers
   */
  verifierOf(issuer: string): IssuerVerifier {
    if (issuer === this.#own.issuer) return this.#own;
    const known = this.#verifiers.get(issuer);
    if (known !== undefined) return known;
    if (!isHttpsUrl(issuer)) throw new Error('the issuer is not an https URL');
    if (this.#verifiers.size >= this.#terms.limits.maxClaimIssuers)
      throw new Error(`there are more than ${this.#terms.limits.maxClaimIssuers} issuers of distributed claims`);
    const verifier = new IssuerVerifier({ ...this.#terms, issuer });
    this.#verifiers.set(issuer, verifier);
    return verifier;
  }

  close(): void {
    for (const verifier of this.#verifiers.values()) verifier.close();
  }
}
