import { sha256 } from '@noble/hashes/sha2.js';
import { hostCrypto } from '../../meta/host-crypto.js';
import { encodeBase64Url } from '../../encoding/base64url.js';

/**
 * SHA-256 of a chain as presented. All of it, not the leaf alone: what comes with a leaf decides whether it can be verified, and
 * who shows the leaf of another with a useless chain must not have it refused to its owner.
 */
export function chainDigest(chain: readonly Uint8Array[]): string {
  const bytes = new Uint8Array(chain.reduce((length, certificate) => length + 4 + certificate.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const certificate of chain) {
    view.setUint32(at, certificate.length);
    bytes.set(certificate, at + 4);
    at += 4 + certificate.length;
  }
  return hostCrypto()?.hash('sha256', bytes, 'base64url') ?? encodeBase64Url(sha256(bytes));
}
