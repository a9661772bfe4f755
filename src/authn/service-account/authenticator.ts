import { goQuote } from '../../meta/go-text.js';
import type { Clock } from '../../meta/clock.js';
import type { UserInfo } from '../../meta/object.js';
import type { Dialect } from '../../names/dialect.js';
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
import type { AuthResult, TokenAuthenticator, TokenRequest } from '../authenticator.js';
import { anchorProblem, anchorsOf, usersOfTokens } from './bound-token.js';
import { legacyUse, userOfLegacyToken } from './legacy-token.js';
import type { ServiceAccountLookup } from './lookup.js';
import { RecentTokens } from './recent-tokens.js';
import { whenReady } from './when-ready.js';

/** The keys that check tokens: a list, or a function that is asked for it at every token, so that keys may come and go. */
export type VerificationKeys =
  readonly TokenVerifier[] | (() => readonly TokenVerifier[] | Promise<readonly TokenVerifier[]>);

/** What a token that was taken says of itself, for metrics and for the audit log. */
export interface TokenUse {
  readonly subject: string;
  /**
   * `stale`: its use should be noticed, since it is past the time for which it was asked; `extended`: it may become stale;
   * `legacy`: it is one of old, out of a Secret; `bound`: none of these.
   */
  readonly kind: 'bound' | 'extended' | 'stale' | 'legacy';
  /** Of a stale token: for how long it has been that, in seconds. */
  readonly staleSeconds?: number;
  /** Of a legacy token: the Secret. */
  readonly secretName?: string;
}

/** Options of {@link createServiceAccountAuthenticator}. */
export interface ServiceAccountAuthenticatorOptions {
  /** Accepted `iss`; the first is the one that the server writes. */
  readonly issuers: readonly string[];
  readonly keys: VerificationKeys;
  /** Audiences of the API server itself: those of a request, and those of a token that names none. */
  readonly audiences: readonly string[];
  /** Where the account and what a token is bound to are looked up. Without it a token lasts until it expires. */
  readonly lookup?: ServiceAccountLookup | undefined;
  /**
   * Whether the Secret and the account of a legacy token are looked up, too: `--service-account-lookup`. Default true. Without,
   * a legacy token has no end.
   */
  readonly lookupLegacyTokens?: boolean | undefined;
  readonly dialect: Dialect;
  readonly clock: Clock;
  /** Told of every token that is taken. */
  readonly onUse?: ((use: TokenUse, request: TokenRequest) => void) | undefined;
  /** How many tokens are remembered whose signature and claims were good. Default 4096. */
  readonly cacheSize?: number | undefined;
  /** Longest token, in characters. Default 16384. */
  readonly maxTokenLength?: number | undefined;
}

/** What is known of a token whose signature and claims are good. Its times and what it is bound to are looked at every time. */
interface KnownToken {
  readonly keyId: string;
  readonly claims: RegisteredClaims;
  readonly user: UserInfo;
  /** Looks up what the token is bound to: why it does not hold any more, or undefined. */
  readonly problem: (
    token: string,
    request: TokenRequest,
    nowMs: number,
  ) => string | undefined | Promise<string | undefined>;
  readonly use: (nowMs: number) => TokenUse;
}

const CACHE_SIZE = 4096;

/**
 * Knows the users of service-account tokens: JSON Web Tokens of one of the issuers, signed by one of the keys, for one of the
 * audiences that are wanted, bound to objects that are still there (identity-resources.md, "TokenRequest"; conventions.md,
 * "Authentication"; KEP-1205). Has no opinion on what is no JSON Web Token or has another issuer. Remembers of a token that its
 * signature was good, under a hash, and nothing else: a token that is revoked is refused from then on.
 *
 * Answers at once when keys and look-up do.
 */
export function createServiceAccountAuthenticator(options: ServiceAccountAuthenticatorOptions): TokenAuthenticator {
  const tokens = new ServiceAccountTokens(options);
  return (token, request) => tokens.authenticate(token, request);
}

class ServiceAccountTokens {
  private readonly options: ServiceAccountAuthenticatorOptions;
  private readonly maxLength: number;
  private readonly known: RecentTokens<KnownToken>;
  private readonly issuers: ReadonlySet<string>;
  private readonly userOf: (claims: ServiceAccountClaims) => UserInfo;

  constructor(options: ServiceAccountAuthenticatorOptions) {
    this.options = options;
    this.maxLength = options.maxTokenLength ?? MAX_TOKEN_LENGTH;
    this.known = new RecentTokens(options.cacheSize ?? CACHE_SIZE);
    this.issuers = new Set([...options.issuers, legacyIssuer(options.dialect)]);
    this.userOf = usersOfTokens(options.dialect);
  }

  authenticate(token: string, request: TokenRequest): AuthResult | Promise<AuthResult> {
    if (!token.includes('.')) return undefined;
    if (token.length > this.maxLength) return { error: new Error(`token is longer than ${this.maxLength} characters`) };
    try {
      const result = this.recall(token, request);
      return result instanceof Promise ? result.catch(refusal) : result;
    } catch (error) {
      return refusal(error);
    }
  }

  private recall(token: string, request: TokenRequest): AuthResult | Promise<AuthResult> {
    const digest = tokenDigest(token);
    const known = this.known.get(digest);
    if (known === undefined) return this.meet(token, digest, request);
    return whenReady(this.keys(), (keys) => {
      if (keys.some(({ keyId }) => keyId === known.keyId)) return this.judge(known, token, request);
      this.known.delete(digest);
      return this.meet(token, digest, request);
    });
  }

  /** A token that is seen for the first time, or was forgotten. */
  private meet(token: string, digest: string, request: TokenRequest): AuthResult | Promise<AuthResult> {
    const parsed = parseJsonWebToken(token, this.maxLength);
    const issuer = parsed?.payload['iss'];
    if (parsed === undefined || typeof issuer !== 'string' || !this.issuers.has(issuer)) return undefined;
    const signer = whenReady(this.keys(), (keys) => verifyJsonWebToken(parsed, keys));
    return whenReady(signer, ({ keyId }) => {
      const known = this.understand(parsed, issuer, keyId);
      this.known.set(digest, known);
      return this.judge(known, token, request);
    });
  }

  private keys(): readonly TokenVerifier[] | Promise<readonly TokenVerifier[]> {
    const { keys } = this.options;
    return typeof keys === 'function' ? keys() : keys;
  }

  private understand({ payload }: JsonWebToken, issuer: string, keyId: string): KnownToken {
    const { dialect, issuers } = this.options;
    // Who calls his issuer as legacy tokens call theirs is told apart by the claims.
    const isBound =
      issuers.includes(issuer) && (issuer !== legacyIssuer(dialect) || hasServiceAccountClaims(payload, dialect));
    return isBound
      ? this.bound(readServiceAccountClaims(payload, dialect), keyId)
      : this.legacy(readLegacyServiceAccountClaims(payload, dialect), keyId);
  }

  private bound(claims: ServiceAccountClaims, keyId: string): KnownToken {
    const { lookup } = this.options;
    const anchors = anchorsOf(claims);
    return {
      keyId,
      claims,
      user: this.userOf(claims),
      problem:
        lookup === undefined ? () => undefined : (_token, _request, nowMs) => anchorProblem(anchors, lookup, nowMs),
      use: (nowMs) => useOfBound(claims, nowMs),
    };
  }

  private legacy(claims: LegacyServiceAccountClaims, keyId: string): KnownToken {
    const { lookup, lookupLegacyTokens = true, dialect } = this.options;
    const { subject, secretName } = claims;
    const check = (
      token: string,
      request: TokenRequest,
      used: ServiceAccountLookup,
    ): string | undefined | Promise<string | undefined> =>
      whenReady(legacyUse(token, claims, used, dialect), ({ problem, warning }) => {
        if (warning !== undefined) request.warn?.(warning);
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

  /** Whether a token whose signature and claims are good is good for this request, now. */
  private judge(known: KnownToken, token: string, request: TokenRequest): AuthResult | Promise<AuthResult> {
    const { audiences: own, clock, onUse } = this.options;
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
      onUse?.(known.use(nowMs), request);
      return { user: known.user, audiences };
    });
  }
}

function useOfBound({ subject, warnAfter }: ServiceAccountClaims, nowMs: number): TokenUse {
  if (warnAfter === undefined) return { kind: 'bound', subject };
  return nowMs > warnAfter * 1000
    ? { kind: 'stale', subject, staleSeconds: Math.floor(nowMs / 1000) - warnAfter }
    : { kind: 'extended', subject };
}

/** What goes wrong beside the token, such as a look-up, is kept from who sent it. */
function refusal(cause: unknown): AuthResult {
  return {
    error:
      cause instanceof InvalidTokenError ? cause : new Error('service account token could not be checked', { cause }),
  };
}

const quoteAll = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;
