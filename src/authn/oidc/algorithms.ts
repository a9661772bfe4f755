import { goQuote } from '../../meta/go-text.js';

/**
 * Signing algorithms that may be allowed, in the production system's order. All are asymmetric: with a symmetric one, the
 * published key of a provider would be the secret by which anybody signs (RFC 8725 section 2.1).
 */
export const ALL_SIGNING_ALGORITHMS: readonly string[] = [
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

/** What is allowed when nothing is said: the algorithm that every provider must have (OpenID Connect Core, section 15.1). */
export const DEFAULT_SIGNING_ALGORITHMS: readonly string[] = ['RS256'];

/**
 * The algorithms to allow; none means {@link DEFAULT_SIGNING_ALGORITHMS}.
 *
 * @throws Error `oidc: unsupported signing alg: "HS256"` for one that may not be allowed
 */
export function checkSigningAlgorithms(algorithms: readonly string[]): readonly string[] {
  const unknown = algorithms.find((algorithm) => !ALL_SIGNING_ALGORITHMS.includes(algorithm));
  if (unknown !== undefined) throw new Error(`oidc: unsupported signing alg: ${goQuote(unknown)}`);
  return algorithms.length === 0 ? DEFAULT_SIGNING_ALGORITHMS : algorithms;
}
