/**
 * Maps claims to a user without expressions. A mapper with expressions uses these functions for the other parts.
 *
 * @module
 */
import { definedOnly, goQuote, type UserInfo } from '../../../foundation/index.js';
import type {
  Claims,
  ClaimsMapper,
  ClaimValidationRule,
  JwtAuthenticatorConfiguration,
  PrefixedClaimOrExpression,
} from '../configuration/types.js';

/** A claim and the prefix of its value. */
export interface ClaimMapping {
  readonly claim: string;
  readonly prefix?: string | undefined;
}

/**
 * Returns the user name. With the claim `email`, a claim `email_verified` must be true if present.
 *
 * @throws Error when the claim is missing, not a string, empty, or an unverified e-mail address
 */
export function mapUsername(claims: Claims, { claim, prefix = '' }: ClaimMapping): string {
  const username = stringClaim(claims, claim, `oidc: parse username claims ${goQuote(claim)}`);
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified')) checkEmailVerified(claims['email_verified']);
  // Refused even with a prefix: all users without the claim would share one name.
  if (username === '') throw new Error(`oidc: parse username claims ${goQuote(claim)}: claim is empty`);
  return prefix + username;
}

function checkEmailVerified(verified: unknown): void {
  if (typeof verified !== 'boolean' && verified !== null)
    throw new Error(`oidc: parse 'email_verified' claim: ${unmarshalProblem(verified, 'bool')}`);
  if (verified !== true) throw new Error('oidc: email not verified');
}

/**
 * Returns the groups from a claim with a string or a list of strings. A missing claim gives none.
 *
 * @throws Error when the claim has another type
 */
export function mapGroups(claims: Claims, { claim, prefix = '' }: ClaimMapping): string[] {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : null;
  if (value === null) return [];
  const groups: readonly unknown[] = Array.isArray(value) ? value : [value];
  return groups.map((group) => {
    if (typeof group === 'string') return prefix + group;
    throw new Error(`oidc: parse groups claim ${goQuote(claim)}: ${unmarshalProblem(value, 'string')}`);
  });
}

/**
 * Returns the uid.
 *
 * @throws Error when the claim is missing or not a string
 */
export function mapUid(claims: Claims, claim: string): string {
  return stringClaim(claims, claim, `oidc: parse uid claim ${goQuote(claim)}`);
}

/**
 * Applies the rules with a claim and a required value. Rules with an expression are skipped.
 *
 * @throws Error when a claim is missing, is not a string, or has another value
 */
export function checkRequiredClaims(claims: Claims, rules: readonly ClaimValidationRule[]): void {
  for (const { claim = '', requiredValue = '' } of rules) {
    if (claim === '') continue;
    if (!Object.hasOwn(claims, claim)) throw new Error(`oidc: required claim ${claim} not present in ID token`);
    const value = stringClaim(claims, claim, `oidc: parse claim ${claim}`);
    if (value !== requiredValue)
      throw new Error(`oidc: required claim ${claim} value does not match. Got = ${value}, want = ${requiredValue}`);
  }
}

/** Returns a string claim. Null counts as the empty string, as in the decoder of Kubernetes. */
function stringClaim(claims: Claims, claim: string, words: string): string {
  if (!Object.hasOwn(claims, claim)) throw new Error(`${words}: claim not present`);
  const value = claims[claim] ?? '';
  if (typeof value !== 'string') throw new Error(`${words}: ${unmarshalProblem(value, 'string')}`);
  return value;
}

/** Returns the decoder message of Kubernetes for a value of another type. */
function unmarshalProblem(value: unknown, wanted: 'string' | 'bool'): string {
  const kinds: Readonly<Record<string, string>> = {
    boolean: 'bool',
    object: Array.isArray(value) ? 'array' : 'object',
  };
  return `json: cannot unmarshal ${kinds[typeof value] ?? typeof value} into Go value of type ${wanted}`;
}

/**
 * Creates the mapper of a configuration without expressions, for example from flags.
 *
 * @throws Error when the configuration has an expression, or no claim for the user name
 */
export function createFlagClaimsMapper({
  claimMappings,
  claimValidationRules = [],
  userValidationRules = [],
}: JwtAuthenticatorConfiguration): ClaimsMapper {
  const { username, groups, uid, extra = [] } = claimMappings;
  const expressions = [
    username.expression,
    groups?.expression,
    uid?.expression,
    ...claimValidationRules.map(({ expression }) => expression),
  ];
  if (
    expressions.some((expression) => expression !== undefined && expression !== '') ||
    extra.length > 0 ||
    userValidationRules.length > 0
  ) {
    throw new Error('oidc: a configuration with expressions needs a mapper that evaluates them');
  }
  const usernameMapping = claimMappingOf(username);
  if (usernameMapping === undefined) throw new Error('oidc: no username claim provided');
  const groupsMapping = claimMappingOf(groups);
  const uidClaim = uid?.claim ?? '';
  return (claims): UserInfo => {
    const user = {
      username: mapUsername(claims, usernameMapping),
      groups: groupsMapping === undefined ? [] : mapGroups(claims, groupsMapping),
      ...definedOnly({ uid: uidClaim === '' ? undefined : mapUid(claims, uidClaim) }),
    };
    checkRequiredClaims(claims, claimValidationRules);
    return user;
  };
}

function claimMappingOf(mapping: PrefixedClaimOrExpression = {}): ClaimMapping | undefined {
  const { claim = '', prefix } = mapping;
  return claim === '' ? undefined : { claim, prefix };
}
