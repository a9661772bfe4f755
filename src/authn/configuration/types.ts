/**
 * The AuthenticationConfiguration as the server works with it: decoded, defaulted and checked. Its source is the kind
 * `AuthenticationConfiguration` of `apiserver.config.<suffix>/v1beta1` (conventions.md, "Authentication"; KEP-3331).
 *
 * @module
 */
import type { UserInfo } from '../../meta/object.js';

/** Who issues tokens, and for whom. */
export interface JwtIssuer {
  /** https URL; equal to the tokens' `iss`. */
  readonly url: string;
  /** Where the provider's configuration is read; default `<url>/.well-known/openid-configuration`. */
  readonly discoveryURL?: string;
  /** PEM of the authorities of the provider's own certificate; default those of the host. */
  readonly certificateAuthority?: string;
  /** At least one must be in the token's `aud`. */
  readonly audiences: readonly string[];
  readonly audienceMatchPolicy?: 'MatchAny';
}

/** A rule on claims: either a claim that must have a value, or an expression that must be true. */
export interface ClaimValidationRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

/** Where a name comes from: a claim with a prefix, or an expression. */
export interface PrefixedClaimOrExpression {
  readonly claim?: string;
  readonly prefix?: string;
  readonly expression?: string;
}

/** How claims become a user. */
export interface ClaimMappings {
  readonly username: PrefixedClaimOrExpression;
  readonly groups?: PrefixedClaimOrExpression;
  readonly uid?: { readonly claim?: string; readonly expression?: string };
  readonly extra?: readonly { readonly key: string; readonly valueExpression: string }[];
}

/** A rule on the user that the claims were mapped to. */
export interface UserValidationRule {
  readonly expression: string;
  readonly message?: string;
}

/** One JWT authenticator: an entry of `jwt`. The `--oidc-*` flags make one of these too. */
export interface JwtAuthenticatorConfiguration {
  readonly issuer: JwtIssuer;
  readonly claimValidationRules?: readonly ClaimValidationRule[];
  readonly claimMappings: ClaimMappings;
  readonly userValidationRules?: readonly UserValidationRule[];
}

/** Whether, and where, requests without credentials are let in. */
export interface AnonymousConfiguration {
  readonly enabled: boolean;
  readonly conditions?: readonly { readonly path: string }[];
}

/** The whole file. */
export interface AuthenticationConfiguration {
  readonly jwt: readonly JwtAuthenticatorConfiguration[];
  readonly anonymous?: AnonymousConfiguration;
}

/** Claims of a verified token. Numbers are as JSON has them. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Makes a user of the claims of a token whose signature, issuer, audience and times have been checked: applies claim
 * validation rules, mappings, and user validation rules.
 *
 * @throws Error whose message says which rule refused, in production's words; it never carries the token
 */
export type ClaimsMapper = (claims: Claims) => UserInfo | Promise<UserInfo>;
