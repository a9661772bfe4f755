/**
 * Distributed claims (OpenID Connect Core, section 5.6.2): the token names an endpoint of the provider or another
 * issuer that returns the groups in another signed token.
 *
 * @module
 */
import { goQuote, ownMember, wrapError } from '../../../foundation/index.js';
import type { Claims } from '../configuration/types.js';
import type { ReadDocument } from './document.js';
import { parseToken, type UntrustedToken } from './id-token.js';
import type { IssuerVerifier } from './issuer-verifier.js';
import { waitFor, type Waiter } from './wait.js';

/** Options of {@link createClaimResolver}. */
export interface ClaimResolverOptions {
  /** The claim that can be distributed. */
  readonly claim: string;
  readonly read: ReadDocument;
  /** Returns the verifier of an issuer. The owner of the cache closes it. */
  readonly verifierOf: (issuer: string) => IssuerVerifier;
}

/** Adds a distributed claim to verified claims. */
export type ClaimResolver = (claims: Claims, waiter: Waiter) => Promise<Claims>;

/**
 * Creates a resolver that fetches the claim from the endpoint in the token. The endpoint must be https. Its token must
 * be signed by a discoverable provider with an allowed algorithm, be for the same audiences, and not be expired.
 * Aggregated claims (`JWT`) are ignored, as in Kubernetes. Only keys are cached.
 *
 * @throws Error, from the resolver, in the words of Kubernetes when the claim is unavailable
 */
export function createClaimResolver({ claim, read, verifierOf }: ClaimResolverOptions): ClaimResolver {
  return async (claims, waiter) => {
    const source = sourceOf(claims, claim);
    if (source === undefined) return claims;
    const token = await fetchToken(source, claim, read, waiter);
    await verifyToken(token, verifierOf, waiter);
    if (!Object.hasOwn(token.claims, claim)) {
      throw new Error(
        `jwt returned by distributed claim endpoint ${goQuote(shown(source.endpoint))} did not contain claim: ${claim}`,
      );
    }
    return { ...claims, [claim]: token.claims[claim] };
  };
}

interface Source {
  readonly endpoint: string;
  readonly accessToken: string;
}

function sourceOf(claims: Claims, claim: string): Source | undefined {
  if (Object.hasOwn(claims, claim) || !Object.hasOwn(claims, '_claim_names')) return undefined;
  const names = asObject(claims['_claim_names']);
  if (names === undefined) throw new Error('oidc: error parsing distributed claim names: not an object');
  if (!Object.hasOwn(claims, '_claim_sources')) throw new Error('oidc: no claim sources');
  const sources = asObject(claims['_claim_sources']);
  if (sources === undefined) throw new Error('oidc: could not parse claim sources: not an object');
  const name = ownMember(names, claim);
  if (name === undefined) return undefined;
  if (typeof name !== 'string') throw new Error('oidc: error parsing distributed claim names: a name is not a string');
  const source = asObject(ownMember(sources, name));
  if (source === undefined)
    throw new Error(`id token _claim_names contained a source ${name} missing in _claims_sources`);
  const endpoint = ownMember(source, 'endpoint');
  const accessToken = ownMember(source, 'access_token') ?? '';
  // Possibly an aggregated claim.
  if (endpoint === undefined || endpoint === '') return undefined;
  if (typeof endpoint !== 'string' || typeof accessToken !== 'string')
    throw new Error('oidc: could not parse claim sources: a member is not a string');
  return { endpoint, accessToken };
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

async function fetchToken(
  { endpoint, accessToken }: Source,
  claim: string,
  read: ReadDocument,
  { signal }: Waiter,
): Promise<UntrustedToken> {
  let text: string;
  try {
    ({ text } = await read(endpoint, { accessToken, signal }));
  } catch (error) {
    throw wrapError(`while getting distributed claim ${goQuote(claim)}`, error);
  }
  try {
    return parseToken(text.trim());
  } catch (error) {
    throw wrapError(
      `getting untrusted issuer from endpoint ${shown(endpoint)} failed for claim ${goQuote(claim)}`,
      error,
    );
  }
}

async function verifyToken(
  token: UntrustedToken,
  verifierOf: (issuer: string) => IssuerVerifier,
  waiter: Waiter,
): Promise<void> {
  let verifier: IssuerVerifier;
  try {
    verifier = verifierOf(token.issuer);
    await waitFor(verifier.tried, waiter);
    if (!verifier.initialized) throw new Error(`verifier not initialized for issuer: ${goQuote(token.issuer)}`);
  } catch (error) {
    throw wrapError(`verifying untrusted issuer ${token.issuer} failed`, error);
  }
  try {
    await verifier.verify(token, waiter);
  } catch (error) {
    throw wrapError('verify distributed claim token', error);
  }
}

/** Returns an endpoint for messages, without its query, which can be secret. */
function shown(endpoint: string): string {
  return URL.canParse(endpoint) ? new URL(endpoint).origin + new URL(endpoint).pathname : 'unknown';
}
