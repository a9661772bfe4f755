import { goQuote } from '../../../foundation/index.js';

/**
 * Supported signing algorithms, in the order of Kubernetes. All are asymmetric: with a symmetric algorithm, a
 * provider's published key would be the signing secret (RFC 8725 section 2.1).
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

/** Default: the algorithm that every provider must support (OpenID Connect Core, section 15.1). */
export const DEFAULT_SIGNING_ALGORITHMS: readonly string[] = ['RS256'];

/**
 * Validates algorithms. An empty list means {@link DEFAULT_SIGNING_ALGORITHMS}.
 *
 * @throws Error `oidc: unsupported signing alg: "HS256"` for an unsupported algorithm
 */
export function checkSigningAlgorithms(algorithms: readonly string[]): readonly string[] {
  const unknown = algorithms.find((algorithm) => !ALL_SIGNING_ALGORITHMS.includes(algorithm));
  if (unknown !== undefined) throw new Error(`oidc: unsupported signing alg: ${goQuote(unknown)}`);
  return algorithms.length === 0 ? DEFAULT_SIGNING_ALGORITHMS : algorithms;
}
