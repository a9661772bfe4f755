import { goQuote, whenReady, type Clock, type Dialect, type UserInfo } from '../../../foundation/index.js';
import {
  hasServiceAccountClaims,
  InvalidTokenError,
  legacyIssuer,
  MAX_TOKEN_LENGTH,
  parseJsonWebToken,
  readLegacyServiceAccountClaims,
  readServiceAccountClaims,
  timeProblem,
  tokenDigest,
  verifyJsonWebToken,
  type JsonWebToken,
  type LegacyServiceAccountClaims,
  type RegisteredClaims,
  type ServiceAccountClaims,
  type TokenVerifier,
} from '../../tokens/index.js';
import { intersectAudiences } from '../audiences.js';
import type { AuthResult, TokenAuthenticator, TokenContext } from '../authenticator.js';
import { anchorProblem, anchorsOf, usersOfTokens } from './bound-token.js';
import { legacyUse, userOfLegacyToken } from './legacy-token.js';
import type { ServiceAccountLookup } from './lookup.js';
import { RecentTokens } from './recent-tokens.js';

/** Verification keys: a list, or a function that returns the current list for every token. */
export type VerificationKeys =
  readonly TokenVerifier[] | (() => readonly TokenVerifier[] | Promise<readonly TokenVerifier[]>);

/** Use of an accepted token, for metrics and the audit log. */
export interface TokenUse {
  readonly subject: string;
  /**
   * `bound`: a current token. `extended`: a token with extended lifetime. `stale`: an extended token after its
   * requested lifetime. `legacy`: a token from a Secret.
   */
  readonly kind: 'bound' | 'extended' | 'stale' | 'legacy';
  /** Stale tokens: time since the end of the requested lifetime, in milliseconds, a multiple of 1,000. */
  readonly staleTime?: number | undefined;
  /** Legacy tokens: name of the Secret. */
  readonly secretName?: string | undefined;
}

/** Options of {@link createServiceAccountAuthenticator}. */
export interface ServiceAccountAuthenticatorOptions {
  /** Accepted issuers; the first is used for new tokens. */
  readonly issuers: readonly string[];
  readonly keys: VerificationKeys;
  /**
   * Returns the verification keys after reading them again: called for a token that names a key that is not among
   * `keys`, such as one that another server has just begun to sign with. Default: such a token is refused.
   */
  readonly rereadKeys?: (() => Promise<readonly TokenVerifier[]>) | undefined;
  /** Audiences of the API server: default for requests and for tokens without audiences. */
  readonly audiences: readonly string[];
  /** Looks up the account and the bound objects. Without it, a token is valid until it expires. */
  readonly lookup?: ServiceAccountLookup | undefined;
  /**
   * Whether to look up the Secret and account of a legacy token: `--service-account-lookup`. Default true. Otherwise
   * legacy tokens never end.
   */
  readonly lookupLegacyTokens?: boolean | undefined;
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** Called for every accepted token. */
  readonly onUse?: ((use: TokenUse, request: TokenContext) => void) | undefined;
  /** Maximum number of cached verified tokens. Default 4,096. */
  readonly cacheSize?: number | undefined;
  /** Maximum length of a token, in characters. Default 16,384. */
  readonly maxTokenLength?: number | undefined;
}

/** A token with valid signature and claims. Its times and bound objects are checked on every use. */
interface KnownToken {
  readonly keyId: string;
  readonly claims: RegisteredClaims;
  readonly user: UserInfo;
  /** Checks the bound objects. Returns the problem, or undefined when the token is valid. */
  readonly problem: (
    token: string,
    request: TokenContext,
    nowMs: number,
  ) => string | undefined | Promise<string | undefined>;
  readonly use: (nowMs: number) => TokenUse;
}

const CACHE_SIZE = 4096;

/**
 * Creates an authenticator for service account tokens: JSON Web Tokens of one of the issuers, signed by one of the
 * keys, for one of the wanted audiences, bound to existing objects (identity-resources.md, "TokenRequest";
 * conventions.md, "Authentication"; KEP-1205). Other tokens and issuers get no opinion. Only the valid signature and
 * claims are cached, under a hash: a revoked token is refused at once.
 *
 * The result is synchronous when keys and lookup are.
 */
export function createServiceAccountAuthenticator(options: ServiceAccountAuthenticatorOptions): TokenAuthenticator {
  const tokens = new ServiceAccountTokens(options);
  return (token, request) => tokens.authenticate(token, request);
}

class ServiceAccountTokens {
  readonly #options: ServiceAccountAuthenticatorOptions;
  readonly #maxLength: number;
  readonly #known: RecentTokens<KnownToken>;
  readonly #issuers: ReadonlySet<string>;
  readonly #userOf: (claims: ServiceAccountClaims) => UserInfo;

  constructor(options: ServiceAccountAuthenticatorOptions) {
    this.#options = options;
    this.#maxLength = options.maxTokenLength ?? MAX_TOKEN_LENGTH;
    this.#known = new RecentTokens(options.cacheSize ?? CACHE_SIZE);
    this.#issuers = new Set([...options.issuers, legacyIssuer(options.dialect)]);
    this.#userOf = usersOfTokens(options.dialect);
  }

  authenticate(token: string, request: TokenContext): AuthResult | Promise<AuthResult> {
    if (!token.includes('.')) return undefined;
    if (token.length > this.#maxLength)
      return { error: new Error(`token is longer than ${this.#maxLength} characters`) };
    try {
      const result = this.#authenticateCached(token, request);
      return result instanceof Promise ? result.catch(refusal) : result;
    } catch (error) {
      return refusal(error);
    }
  }

  #authenticateCached(token: string, request: TokenContext): AuthResult | Promise<AuthResult> {
    const digest = tokenDigest(token);
    const known = this.#known.get(digest);
    if (known === undefined) return this.#verify(token, digest, request);
    return whenReady(this.#keys(), (keys) => {
      if (keys.some(({ keyId }) => keyId === known.keyId)) return this.#check(known, token, request);
      this.#known.delete(digest);
      return this.#verify(token, digest, request);
    });
  }

  /** Verifies a token that is not cached. */
  #verify(token: string, digest: string, request: TokenContext): AuthResult | Promise<AuthResult> {
    const parsed = parseJsonWebToken(token, this.#maxLength);
    const issuer = parsed?.payload['iss'];
    if (parsed === undefined || typeof issuer !== 'string' || !this.#issuers.has(issuer)) return undefined;
    const signer = whenReady(this.#keysFor(parsed), (keys) => verifyJsonWebToken(parsed, keys));
    return whenReady(signer, ({ keyId }) => {
      const known = this.#decode(parsed, issuer, keyId);
      this.#known.set(digest, known);
      return this.#check(known, token, request);
    });
  }

  #keys(): readonly TokenVerifier[] | Promise<readonly TokenVerifier[]> {
    const { keys } = this.#options;
    return typeof keys === 'function' ? keys() : keys;
  }

  #keysFor({ header: { kid } }: JsonWebToken): readonly TokenVerifier[] | Promise<readonly TokenVerifier[]> {
    const { rereadKeys } = this.#options;
    return whenReady(this.#keys(), (keys) => {
      const isKnown = typeof kid !== 'string' || kid === '' || keys.some(({ keyId }) => keyId === kid);
      return isKnown || rereadKeys === undefined ? keys : rereadKeys();
    });
  }

  #decode({ payload }: JsonWebToken, issuer: string, keyId: string): KnownToken {
    const { dialect, issuers } = this.#options;
    // The server's issuer can equal the legacy issuer; the claims then decide.
    const isBound =
      issuers.includes(issuer) && (issuer !== legacyIssuer(dialect) || hasServiceAccountClaims(payload, dialect));
    return isBound
      ? this.#bound(readServiceAccountClaims(payload, dialect), keyId)
      : this.#legacy(readLegacyServiceAccountClaims(payload, dialect), keyId);
  }

  #bound(claims: ServiceAccountClaims, keyId: string): KnownToken {
    const { lookup } = this.#options;
    const anchors = anchorsOf(claims);
    return {
      keyId,
      claims,
      user: this.#userOf(claims),
      problem:
        lookup === undefined ? () => undefined : (_token, _request, nowMs) => anchorProblem(anchors, lookup, nowMs),
      use: (nowMs) => useOfBound(claims, nowMs),
    };
  }

  #legacy(claims: LegacyServiceAccountClaims, keyId: string): KnownToken {
    const { lookup, lookupLegacyTokens = true, dialect } = this.#options;
    const { subject, secretName } = claims;
    const check = (
      token: string,
      request: TokenContext,
      used: ServiceAccountLookup,
    ): string | undefined | Promise<string | undefined> =>
      whenReady(legacyUse(token, claims, used, dialect), ({ problem, warning, annotation }) => {
        if (warning !== undefined) request.warn?.(warning);
        if (annotation !== undefined) request.annotate?.(...annotation);
        return problem;
      });
    return {
      keyId,
      claims,
      user: userOfLegacyToken(claims),
      problem:
        lookup === undefined || !lookupLegacyTokens
          ? () => undefined
          : (token, request) => check(token, request, lookup),
      use: () => ({ kind: 'legacy', subject, secretName }),
    };
  }

  /** Checks a verified token for this request and time. */
  #check(known: KnownToken, token: string, request: TokenContext): AuthResult | Promise<AuthResult> {
    const { audiences: own, clock, dialect, onUse } = this.#options;
    if (known.claims.audiences.length === 0)
      request.annotate?.(`authentication.${dialect.groupSuffix}/legacy-token`, known.claims.subject);
    const offered = known.claims.audiences.length > 0 ? known.claims.audiences : own;
    const wanted = request.audiences ?? own;
    const audiences = intersectAudiences(wanted, offered);
    if (audiences.length === 0 && own.length > 0) {
      throw new InvalidTokenError(
        `token audiences ${quoteAll(offered)} is invalid for the target audiences ${quoteAll(wanted)}`,
      );
    }
    const nowMs = clock.now();
    const expired = timeProblem(known.claims, nowMs);
    if (expired !== undefined) throw new InvalidTokenError(expired);
    return whenReady(known.problem(token, request, nowMs), (problem) => {
      if (problem !== undefined) throw new InvalidTokenError(problem);
      const use = known.use(nowMs);
      if (use.kind === 'stale')
        request.annotate?.(
          `authentication.${dialect.groupSuffix}/stale-token`,
          `subject: ${use.subject}, seconds after warning threshold: ${(use.staleTime ?? 0) / 1000}`,
        );
      onUse?.(use, request);
      return { user: known.user, audiences };
    });
  }
}

function useOfBound({ subject, warnAfter }: ServiceAccountClaims, nowMs: number): TokenUse {
  if (warnAfter === undefined) return { kind: 'bound', subject };
  return nowMs > warnAfter * 1000
    ? { kind: 'stale', subject, staleTime: (Math.floor(nowMs / 1000) - warnAfter) * 1000 }
    : { kind: 'extended', subject };
}

/** Other errors, for example of a lookup, are hidden from the client. */
function refusal(cause: unknown): AuthResult {
  return {
    error:
      cause instanceof InvalidTokenError ? cause : new Error('service account token could not be checked', { cause }),
  };
}

const quoteAll = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;
