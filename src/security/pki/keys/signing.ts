/**
 * Signs with WebCrypto, or synchronously with the host's cryptography when that is faster.
 *
 * @module
 */
import { derInteger, derSequence, ownMember, type Der, type WebKey } from '../../../foundation/index.js';
import { hostSigning } from './host-p256.js';

/** A signature algorithm of a certificate: the parameters of WebCrypto, and its name in the certificate. */
export interface SigningAlgorithm {
  readonly name: string;
  readonly hash?: string | undefined;
  /** Object identifier in dots. */
  readonly identifier: string;
}

const RSA_IDENTIFIERS: Readonly<Record<string, string>> = {
  'SHA-256': '1.2.840.113549.1.1.11',
  'SHA-384': '1.2.840.113549.1.1.12',
  'SHA-512': '1.2.840.113549.1.1.13',
};

/** The curve determines the hash, as in Go. */
const CURVES: Readonly<Record<string, Omit<SigningAlgorithm, 'name'>>> = {
  'P-256': { hash: 'SHA-256', identifier: '1.2.840.10045.4.3.2' },
  'P-384': { hash: 'SHA-384', identifier: '1.2.840.10045.4.3.3' },
  'P-521': { hash: 'SHA-512', identifier: '1.2.840.10045.4.3.4' },
};

const ED25519_IDENTIFIER = '1.3.101.112';

/**
 * Returns the signature algorithm of a key: RSASSA-PKCS1-v1_5 with the key's hash, ECDSA with the hash of the curve, or
 * Ed25519.
 *
 * @throws TypeError for a key of another algorithm
 */
export function signingAlgorithmOf({ algorithm }: WebKey): SigningAlgorithm {
  const { name } = algorithm;
  const given = 'hash' in algorithm ? algorithm.hash : undefined;
  const hash = typeof given === 'object' && given !== null && 'name' in given ? String(given.name) : '';
  const rsaIdentifier = name === 'RSASSA-PKCS1-v1_5' ? ownMember(RSA_IDENTIFIERS, hash) : undefined;
  if (rsaIdentifier !== undefined) return { name, hash, identifier: rsaIdentifier };
  const curve = 'namedCurve' in algorithm ? ownMember(CURVES, String(algorithm.namedCurve)) : undefined;
  if (name === 'ECDSA' && curve !== undefined) return { name, ...curve };
  if (name === 'Ed25519') return { name, identifier: ED25519_IDENTIFIER };
  throw new TypeError(`a key for ${name}${hash === '' ? '' : ` with ${hash}`} cannot sign certificates`);
}

/** A signing operation with a key. */
export interface Signing {
  readonly algorithm: SigningAlgorithm;
  /** Signs bytes. Returns the signature in the form of certificates. */
  sign(bytes: Der): Promise<Der>;
}

/** Returns the signing operation of a key. @throws TypeError when it cannot sign certificates */
export function signingWith(key: WebKey): Signing {
  const algorithm = signingAlgorithmOf(key);
  const onHost = algorithm.identifier === CURVES['P-256']?.identifier ? hostSigning(key) : undefined;
  const plain = async (bytes: Der): Promise<Der> =>
    onHost?.(bytes) ?? new Uint8Array(await crypto.subtle.sign(algorithm, key, bytes));
  const sign =
    algorithm.name === 'ECDSA' ? async (bytes: Der): Promise<Der> => pairOfNumbers(await plain(bytes)) : plain;
  return { algorithm, sign };
}

/**
 * Converts an ECDSA signature of WebCrypto, two concatenated numbers, to the form of certificates (RFC 3279 section
 * 2.2.3).
 */
function pairOfNumbers(plain: Uint8Array): Der {
  const half = plain.length / 2;
  return derSequence(derInteger(plain.subarray(0, half)), derInteger(plain.subarray(half)));
}

/** The text that a key signs to show that it belongs to another. */
const PROBE = new TextEncoder().encode('Does this key belong to the certificate?');

/** Returns true when the private key belongs to the public one (DER): it verifies a signature of the key. */
export async function isKeyPair(privateKey: WebKey, publicKey: Uint8Array): Promise<boolean> {
  const signing = signingAlgorithmOf(privateKey);
  const signature = await crypto.subtle.sign(signing, privateKey, PROBE);
  try {
    const key = await crypto.subtle.importKey('spki', new Uint8Array(publicKey), privateKey.algorithm, false, [
      'verify',
    ]);
    return await crypto.subtle.verify(signing, key, signature, PROBE);
  } catch {
    // The keys are of different kinds.
    return false;
  }
}
