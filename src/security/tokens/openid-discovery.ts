/**
 * The documents with which external parties verify service account tokens: OpenID Connect Discovery 1.0 section 3, and
 * its JSON Web Key Set (RFC 7517).
 *
 * @module
 */
import type { SigningAlgorithm } from './signing-algorithms.js';
import type { TokenVerifier } from './token-key.js';

/** Path of the provider's document, below the issuer. */
export const OPENID_CONFIGURATION_PATH = '/.well-known/openid-configuration';
/** Path of the server's keys. */
export const JSON_WEB_KEY_SET_PATH = '/openid/v1/jwks';
/** Media type of the key set. */
export const JSON_WEB_KEY_SET_MEDIA_TYPE = 'application/jwk-set+json';
/** Maximum age of both documents in caches, in seconds. Publish a new key that long before it signs. */
export const OPENID_MAX_AGE_SECONDS = 3600;

/** Contents of the provider's document. */
export interface OpenIdConfigurationOptions {
  /** Issuer of the tokens (`iss`): an https URL without query and fragment. */
  readonly issuer: string;
  /** URL of the keys; https. */
  readonly jwksUri: string;
  /** Algorithms of the keys. */
  readonly algorithms: readonly SigningAlgorithm[];
}

/**
 * Returns the provider's document as JSON.
 *
 * @throws Error when one of the URLs is invalid, with the message of Kubernetes; a server then serves neither document
 */
export function openIdConfiguration({ issuer, jwksUri, algorithms }: OpenIdConfigurationOptions): string {
  const url = parseUrl(issuer);
  if (url?.protocol !== 'https:') throw new Error(`issuer URL must use https scheme, got: ${issuer}`);
  if (issuer.includes('?')) throw new Error(`issuer URL may not include a query, got: ${issuer}`);
  if (issuer.includes('#')) throw new Error(`issuer URL may not include a fragment, got: ${issuer}`);
  if (parseUrl(jwksUri)?.protocol !== 'https:') throw new Error(`jwksURI requires https scheme, parsed as: ${jwksUri}`);
  return JSON.stringify({
    issuer,
    jwks_uri: jwksUri,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(algorithms)].sort(),
  });
}

/** Returns the key set as JSON. */
export async function jsonWebKeySet(keys: readonly TokenVerifier[]): Promise<string> {
  const [{ exportJWK }, { importSPKI }] = await Promise.all([import('jose/key/export'), import('jose/key/import')]);
  const exported = await Promise.all(
    keys.map(async ({ keyId, algorithm, publicKeyPem }) => {
      const { kty, crv, x, y, n, e } = await exportJWK(await importSPKI(publicKeyPem, algorithm));
      return { use: 'sig', kty, kid: keyId, crv, alg: algorithm, x, y, n, e };
    }),
  );
  return JSON.stringify({ keys: exported });
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
