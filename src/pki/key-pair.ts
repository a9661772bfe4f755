/**
 * Keys of one's own: made, and written.
 *
 * @module
 */
import type { WebKey, WebKeyPair } from '../meta/web-crypto.js';
import { encodePem } from '../encoding/pem.js';

/** Kinds of keys that certificates are made with. */
export type KeyKind = 'ECDSA-P256' | 'ECDSA-P384' | 'ECDSA-P521' | 'RSA-2048' | 'RSA-3072' | 'RSA-4096' | 'Ed25519';

const rsa = (modulusLength: number): RsaHashedKeyGenParams => ({
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength,
  publicExponent: Uint8Array.of(1, 0, 1),
});

/** How WebCrypto is to make a key, but for Ed25519, which has no parameters. */
const parameters: Readonly<Record<Exclude<KeyKind, 'Ed25519'>, RsaHashedKeyGenParams | EcKeyGenParams>> = {
  'ECDSA-P256': { name: 'ECDSA', namedCurve: 'P-256' },
  'ECDSA-P384': { name: 'ECDSA', namedCurve: 'P-384' },
  'ECDSA-P521': { name: 'ECDSA', namedCurve: 'P-521' },
  'RSA-2048': rsa(2048),
  'RSA-3072': rsa(3072),
  'RSA-4096': rsa(4096),
};

/**
 * Makes a key pair that signs. It comes from the platform's WebCrypto, since nothing that a test could repeat is secret.
 *
 * @param kind default `ECDSA-P256`: small, quick to make and to sign with
 */
export async function generateKeyPair(kind: KeyKind = 'ECDSA-P256'): Promise<WebKeyPair> {
  return kind === 'Ed25519'
    ? crypto.subtle.generateKey(kind, true, ['sign', 'verify'])
    : crypto.subtle.generateKey(parameters[kind], true, ['sign', 'verify']);
}

/** A private key to be kept: PEM of PKCS #8. Secret. @throws DOMException of the platform for a key that cannot be exported */
export async function encodePrivateKey(key: WebKey): Promise<string> {
  return encodePem('PRIVATE KEY', new Uint8Array(await crypto.subtle.exportKey('pkcs8', key)));
}

/** A public key as certificates have it: `SubjectPublicKeyInfo`, DER. */
export async function encodePublicKey(key: WebKey): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.exportKey('spki', key));
}
