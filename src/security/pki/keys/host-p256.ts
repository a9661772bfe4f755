/**
 * ECDSA on P-256 with SHA-256 by the host's synchronous cryptography, if it has one. Most certificates use it, and it
 * takes a tenth of a millisecond; the round trip to the threads of WebCrypto takes several times that. Slower
 * algorithms use WebCrypto.
 *
 * @module
 */
import { encodeBase64Url, hostCrypto } from '../../../foundation/index.js';

/** Octets of each coordinate of a point. */
const OCTETS = 32;

/**
 * Returns a function that verifies signatures with a public key.
 *
 * @param point uncompressed point of the key: the octet 4 and both coordinates
 * @returns undefined when the host has no synchronous cryptography
 * @throws Error when the point is not on the curve
 */
export function hostVerification(
  point: Uint8Array,
): ((signed: Uint8Array, signature: Uint8Array) => boolean) | undefined {
  const host = hostCrypto();
  if (host === undefined) return undefined;
  const number = (from: number): string => encodeBase64Url(point.subarray(from, from + OCTETS));
  const key = host.createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x: number(1), y: number(1 + OCTETS) },
    format: 'jwk',
  });
  return (signed, signature) => host.verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/**
 * Returns a function that signs with a private key (the two numbers concatenated), or undefined when the host cannot or
 * the key is not extractable.
 */
export function hostSigning(key: CryptoKey): ((bytes: Uint8Array) => Uint8Array<ArrayBuffer>) | undefined {
  const host = hostCrypto();
  if (host === undefined || !key.extractable || !key.usages.includes('sign')) return undefined;
  const taken = host.KeyObject.from(key);
  return (bytes) => new Uint8Array(host.sign('sha256', bytes, { key: taken, dsaEncoding: 'ieee-p1363' }));
}
