/**
 * Signs with WebCrypto, or synchronously with the host's cryptography when that is faster.
 *
 * @module
 */
import { derInteger, derNull, derSequence, ownMember, type Der, type WebKey } from '../../../foundation/index.js';
import { derObjectIdentifier } from '../asn1/der-writer.js';
import { hostSigning } from './host-p256.js';

/** A signing operation with a key. */
export interface Signing {
  /** DER `AlgorithmIdentifier` of the signature. */
  readonly algorithm: Der;
  /** Signs bytes. Returns the signature in the form of certificates. */
  sign(bytes: Der): Promise<Uint8Array>;
}

const RSA_IDENTIFIERS: Readonly<Record<string, string>> = {
  'SHA-256': '1.2.840.113549.1.1.11',
  'SHA-384': '1.2.840.113549.1.1.12',
  'SHA-512': '1.2.840.113549.1.1.13',
};

/** The curve determines the hash, as in Go. */
const CURVES: Readonly<Record<string, { readonly hash: string; readonly identifier: string }>> = {
  'P-256': { hash: 'SHA-256', identifier: '1.2.840.10045.4.3.2' },
  'P-384': { hash: 'SHA-384', identifier: '1.2.840.10045.4.3.3' },
  'P-521': { hash: 'SHA-512', identifier: '1.2.840.10045.4.3.4' },
};

const ED25519_IDENTIFIER = '1.3.101.112';

/**
 * Returns the signing operation of a key: RSASSA-PKCS1-v1_5 with the key's hash, ECDSA with the hash of the curve, or
 * Ed25519.
 *
 * @throws TypeError for a key of another algorithm
 */
export function signingWith(key: WebKey): Signing {
  const { name } = key.algorithm;
  const hash = hashOf(key.algorithm);
  const rsaIdentifier = name === 'RSASSA-PKCS1-v1_5' ? ownMember(RSA_IDENTIFIERS, hash) : undefined;
  if (rsaIdentifier !== undefined)
    return {
      algorithm: derSequence(derObjectIdentifier(rsaIdentifier), derNull()),
      sign: (bytes) => signatureOf(name, key, bytes),
    };
  const curve =
    name === 'ECDSA' && 'namedCurve' in key.algorithm ? ownMember(CURVES, String(key.algorithm.namedCurve)) : undefined;
  if (curve !== undefined) {
    const signSynchronously = curve === CURVES['P-256'] ? hostSigning(key) : undefined;
    const sign = async (bytes: Der): Promise<Uint8Array> =>
      pairOfNumbers(signSynchronously?.(bytes) ?? (await signatureOf({ name, hash: curve.hash }, key, bytes)));
    return { algorithm: derSequence(derObjectIdentifier(curve.identifier)), sign };
  }
  if (name === 'Ed25519')
    return {
      algorithm: derSequence(derObjectIdentifier(ED25519_IDENTIFIER)),
      sign: (bytes) => signatureOf(name, key, bytes),
    };
  throw new TypeError(`a key for ${name}${hash === '' ? '' : ` with ${hash}`} cannot sign certificates`);
}

function hashOf(algorithm: KeyAlgorithm): string {
  const hash: unknown = 'hash' in algorithm ? algorithm.hash : undefined;
  return typeof hash === 'object' && hash !== null && 'name' in hash ? String(hash.name) : '';
}

async function signatureOf(
  algorithm: AlgorithmIdentifier | EcdsaParams,
  key: CryptoKey,
  bytes: Der,
): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign(algorithm, key, bytes));
}

/**
 * Converts an ECDSA signature of WebCrypto, two concatenated numbers, to the form of certificates (RFC 3279 section
 * 2.2.3).
 */
function pairOfNumbers(plain: Uint8Array): Uint8Array {
  const half = plain.length / 2;
  return derSequence(derInteger(plain.subarray(0, half)), derInteger(plain.subarray(half)));
}
