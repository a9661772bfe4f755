/**
 * The decoded, defaulted and validated AuthenticationConfiguration. Its source is the kind
 * `AuthenticationConfiguration` of `apiserver.config.<suffix>/v1beta1` (conventions.md, "Authentication"; KEP-3331).
 *
 * @module
 */
import type { UserInfo } from '../../../foundation/index.js';

/** Issuer and audiences of tokens. */
export interface JwtIssuer {
  /** https URL; equals the tokens' `iss`. */
  readonly url: string;
  /** URL of the provider's configuration; default `<url>/.well-known/openid-configuration`. */
  readonly discoveryURL?: string | undefined;
  /** PEM authorities of the provider's certificate; default those of the host. */
  readonly certificateAuthority?: string | undefined;
  /** At least one must be in the token's `aud`. */
  readonly audiences: readonly string[];
  readonly audienceMatchPolicy?: 'MatchAny' | undefined;
}

/** A rule on claims: a claim with a required value, or an expression that must be true. */
export interface ClaimValidationRule {
  readonly claim?: string | undefined;
  readonly requiredValue?: string | undefined;
  readonly expression?: string | undefined;
  readonly message?: string | undefined;
}

/** Source of a name: a claim with a prefix, or an expression. */
export interface PrefixedClaimOrExpression {
  readonly claim?: string | undefined;
  readonly prefix?: string | undefined;
  readonly expression?: string | undefined;
}

/** Mappings from claims to a user. */
export interface ClaimMappings {
  readonly username: PrefixedClaimOrExpression;
  readonly groups?: PrefixedClaimOrExpression | undefined;
  readonly uid?: { readonly claim?: string | undefined; readonly expression?: string | undefined } | undefined;
  readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[] | undefined;
}

/** A rule on the mapped user. */
export interface UserValidationRule {
  readonly expression: string;
  readonly message?: string | undefined;
}

/** One JWT authenticator: an entry of `jwt`. The `--oidc-*` flags produce one too. */
export interface JwtAuthenticatorConfiguration {
  readonly issuer: JwtIssuer;
  readonly claimValidationRules?: readonly ClaimValidationRule[] | undefined;
  readonly claimMappings: ClaimMappings;
  readonly userValidationRules?: readonly UserValidationRule[] | undefined;
}

/** Access for requests without credentials, optionally limited to paths. */
export interface AnonymousConfiguration {
  readonly enabled: boolean;
  readonly conditions?: readonly { readonly path: string }[] | undefined;
}

/** The complete configuration. */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtAuthenticatorConfiguration[];
  readonly anonymous?: AnonymousConfiguration | undefined;
}

/** Claims of a verified token, as parsed JSON. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Maps the claims of a token to a user, after signature, issuer, audience and times were checked. Applies claim
 * validation rules, mappings and user validation rules.
 *
 * @throws Error in the words of Kubernetes that names the violated rule, but never the token
 */
export type ClaimsMapper = (claims: Claims) => UserInfo | Promise<UserInfo>;
