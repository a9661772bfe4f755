import { ownMember, type WebKey } from '../../../foundation/index.js';

/** The parameters with which WebCrypto signs a certificate. */
export interface SigningAlgorithm {
  readonly name: string;
  readonly hash?: string;
}

const RSA_HASHES: readonly string[] = ['SHA-256', 'SHA-384', 'SHA-512'];

/** The curve determines the hash, as in Go. */
const CURVE_HASHES: Readonly<Record<string, string>> = { 'P-256': 'SHA-256', 'P-384': 'SHA-384', 'P-521': 'SHA-512' };

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
  if (name === 'RSASSA-PKCS1-v1_5' && RSA_HASHES.includes(hash)) return { name, hash };
  const curveHash = 'namedCurve' in algorithm ? ownMember(CURVE_HASHES, String(algorithm.namedCurve)) : undefined;
  if (name === 'ECDSA' && curveHash !== undefined) return { name, hash: curveHash };
  if (name === 'Ed25519') return { name };
  throw new TypeError(`a key for ${name}${hash === '' ? '' : ` with ${hash}`} cannot sign certificates`);
}

/** What a key signs to show that it belongs to another. */
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
