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
  readonly discoveryURL?: string;
  /** PEM authorities of the provider's certificate; default those of the host. */
  readonly certificateAuthority?: string;
  /** At least one must be in the token's `aud`. */
  readonly audiences: readonly string[];
  readonly audienceMatchPolicy?: 'MatchAny';
}

/** A rule on claims: a claim with a required value, or an expression that must be true. */
export interface ClaimValidationRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

/** Source of a name: a claim with a prefix, or an expression. */
export interface PrefixedClaimOrExpression {
  readonly claim?: string;
  readonly prefix?: string;
  readonly expression?: string;
}

/** Mappings from claims to a user. */
export interface ClaimMappings {
  readonly username: PrefixedClaimOrExpression;
  readonly groups?: PrefixedClaimOrExpression;
  readonly uid?: { readonly claim?: string; readonly expression?: string };
  readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[];
}

/** A rule on the mapped user. */
export interface UserValidationRule {
  readonly expression: string;
  readonly message?: string;
}

/** One JWT authenticator: an entry of `jwt`. The `--oidc-*` flags produce one too. */
export interface JwtAuthenticatorConfiguration {
  readonly issuer: JwtIssuer;
  readonly claimValidationRules?: readonly ClaimValidationRule[];
  readonly claimMappings: ClaimMappings;
  readonly userValidationRules?: readonly UserValidationRule[];
}

/** Access for requests without credentials, optionally limited to paths. */
export interface AnonymousConfiguration {
  readonly enabled: boolean;
  readonly conditions?: readonly { readonly path: string }[];
}

/** The complete configuration. */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtAuthenticatorConfiguration[];
  readonly anonymous?: AnonymousConfiguration;
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
