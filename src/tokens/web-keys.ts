/**
 * What WebCrypto does with keys on every platform: it makes them, and knows the public part of a private one. It is asked when
 * a key comes in, never for a token.
 *
 * @module
 */
import type { KeyForm } from './key-forms.js';
import { algorithmFacts, type SigningAlgorithm } from './signing-algorithms.js';

/** Fewest bits of an RSA key (RFC 7518 section 3.3). */
const MIN_RSA_BITS = 2048;

/** A new private key. */
export async function generatePrivateKey(algorithm: SigningAlgorithm): Promise<KeyForm> {
  const { webKey } = algorithmFacts(algorithm);
  const parameters =
    'namedCurve' in webKey
      ? webKey
      : { ...webKey, modulusLength: MIN_RSA_BITS, publicExponent: new Uint8Array([1, 0, 1]) };
  const pair = await crypto.subtle.generateKey(parameters, true, ['sign', 'verify']);
  if (!('privateKey' in pair)) throw new TypeError(`no pair of keys for ${algorithm}`);
  return { algorithm, der: new Uint8Array(await crypto.subtle.exportKey('pkcs8', pair.privateKey)) };
}

/**
 * The public part of a private key.
 *
 * @throws RangeError when an RSA key is too short
 * @throws DOMException when the bytes are no key
 */
export async function publicPartOf({ algorithm, der }: KeyForm): Promise<KeyForm> {
  const { webKey } = algorithmFacts(algorithm);
  const secret = await crypto.subtle.importKey('pkcs8', new Uint8Array(der), webKey, true, ['sign']);
  const { kty, crv, x, y, n, e } = await crypto.subtle.exportKey('jwk', secret);
  const jwk = kty === 'EC' ? { kty, crv, x, y } : { kty, n, e };
  const key = await crypto.subtle.importKey('jwk', withoutUndefined(jwk), webKey, true, ['verify']);
  checkSize(key);
  return { algorithm, der: new Uint8Array(await crypto.subtle.exportKey('spki', key)) };
}

/**
 * The key itself, in the one form that it has.
 *
 * @throws RangeError when an RSA key is too short
 * @throws DOMException when the bytes are no key
 */
export async function validPublicKey({ algorithm, der }: KeyForm): Promise<KeyForm> {
  const key = await crypto.subtle.importKey('spki', new Uint8Array(der), algorithmFacts(algorithm).webKey, true, [
    'verify',
  ]);
  checkSize(key);
  return { algorithm, der: new Uint8Array(await crypto.subtle.exportKey('spki', key)) };
}

function checkSize({ algorithm }: CryptoKey): void {
  if (
    !('modulusLength' in algorithm) ||
    typeof algorithm.modulusLength !== 'number' ||
    algorithm.modulusLength >= MIN_RSA_BITS
  )
    return;
  throw new RangeError(`an RSA key must have at least ${MIN_RSA_BITS} bits, this one has ${algorithm.modulusLength}`);
}

function withoutUndefined(fields: Readonly<Record<string, string | undefined>>): JsonWebKey {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
