/**
 * Generates and encodes key pairs.
 *
 * @module
 */
import { encodePem, type WebKey, type WebKeyPair } from '../../../foundation/index.js';

/** Kinds of generated keys. */
export type KeyKind = 'ECDSA-P256' | 'ECDSA-P384' | 'ECDSA-P521' | 'RSA-2048' | 'RSA-3072' | 'RSA-4096' | 'Ed25519';

const rsa = (modulusLength: number): RsaHashedKeyGenParams => ({
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength,
  publicExponent: Uint8Array.of(1, 0, 1),
});

/** WebCrypto parameters of each kind; Ed25519 has none. */
const parameters: Readonly<Record<Exclude<KeyKind, 'Ed25519'>, RsaHashedKeyGenParams | EcKeyGenParams>> = {
  'ECDSA-P256': { name: 'ECDSA', namedCurve: 'P-256' },
  'ECDSA-P384': { name: 'ECDSA', namedCurve: 'P-384' },
  'ECDSA-P521': { name: 'ECDSA', namedCurve: 'P-521' },
  'RSA-2048': rsa(2048),
  'RSA-3072': rsa(3072),
  'RSA-4096': rsa(4096),
};

/**
 * Generates a signing key pair. It uses WebCrypto and not the injected randomness, because a reproducible key is not
 * secret.
 *
 * @param kind default `ECDSA-P256`: small and fast
 * @throws DOMException when the platform does not support the kind, as some do not support Ed25519
 */
export async function generateKeyPair(kind: KeyKind = 'ECDSA-P256'): Promise<WebKeyPair> {
  return kind === 'Ed25519'
    ? crypto.subtle.generateKey(kind, true, ['sign', 'verify'])
    : crypto.subtle.generateKey(parameters[kind], true, ['sign', 'verify']);
}

/** Returns a private key as PKCS #8 in PEM. It is secret. @throws DOMException when the key is not extractable */
export async function encodePrivateKey(key: WebKey): Promise<string> {
  return encodePem('PRIVATE KEY', new Uint8Array(await crypto.subtle.exportKey('pkcs8', key)));
}

/** Returns a public key as DER `SubjectPublicKeyInfo`. */
export async function encodePublicKey(key: WebKey): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.exportKey('spki', key));
}
