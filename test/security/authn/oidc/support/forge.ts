import { CompactSign, exportJWK, exportSPKI, generateKeyPair, type CryptoKey, type JWK } from 'jose';
import type { Host } from './host.js';

/** A key pair that a test signs with. */
export interface ForgedKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  /** As it appears in a key set. */
  readonly jwk: JWK;
  /** Public key, PEM. */
  readonly spki: string;
}

/** Makes a key pair. */
export async function forgeKey(kid: string, alg = 'RS256'): Promise<ForgedKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return {
    alg,
    kid,
    privateKey,
    jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' },
    spki: await exportSPKI(publicKey),
  };
}

/** Signs arbitrary claims. */
export function sign(
  key: ForgedKey,
  claims: unknown,
  header: Readonly<Record<string, unknown>> = { kid: key.kid },
): Promise<string> {
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: key.alg, typ: 'JWT', ...header })
    .sign(key.privateKey);
}

/** Text or JSON as base64url. */
export function encode(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

/** The answers of a host that acts as a provider. */
export interface ForgedProvider {
  keys: unknown[];
  /** Members of the discovery document that deviate from the correct ones. */
  discovery?: Readonly<Record<string, unknown>>;
  /** Headers of the key set. */
  headers?: Readonly<Record<string, string>>;
}

/** Makes the host give these answers. Later changes take effect at once. */
export function serveForged(host: Host, provider: ForgedProvider): ForgedProvider {
  host.handler = (request, response) => {
    if (request.url === '/.well-known/openid-configuration') {
      response.end(JSON.stringify({ issuer: host.url, jwks_uri: `${host.url}/jwks`, ...provider.discovery }));
    } else if (request.url === '/jwks')
      response.writeHead(200, provider.headers).end(JSON.stringify({ keys: provider.keys }));
    else response.writeHead(404).end();
  };
  return provider;
}
