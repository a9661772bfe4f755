/**
 * ECDSA on P-256 with SHA-256 by the host's own cryptography, where it has one. Most certificates of today are signed so, and it takes a
 * tenth of a millisecond; the way to the threads of WebCrypto and back takes several times that. What takes longer is left to these.
 *
 * @module
 */
import { encodeBase64Url } from '../encoding/base64url.js';
import { hostCrypto } from '../meta/host-crypto.js';

/** Octets of each of the two numbers of a point. */
const OCTETS = 32;

/**
 * How a public key checks signatures.
 *
 * @param point of the key: both its numbers, and an octet that says so before them
 * @returns undefined where the host cannot
 * @throws Error for a point that is none of the curve
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

/** How a private key signs: two numbers, one after the other. Undefined where the host cannot, or the key is to stay where it is. */
export function hostSigning(key: CryptoKey): ((bytes: Uint8Array) => Uint8Array) | undefined {
  const host = hostCrypto();
  if (host === undefined || !key.extractable || !key.usages.includes('sign')) return undefined;
  const taken = host.KeyObject.from(key);
  return (bytes) => new Uint8Array(host.sign('sha256', bytes, { key: taken, dsaEncoding: 'ieee-p1363' }));
}
