import { sha256 } from '@noble/hashes/sha2.js';
import { encodeBase64Url, encodeUtf8, hostCrypto } from '../../foundation/index.js';

/** Returns the SHA-256 of bytes as base64url. */
export function digestOf(bytes: Uint8Array): string {
  return hostCrypto()?.hash('sha256', bytes, 'base64url') ?? encodeBase64Url(sha256(bytes));
}

/**
 * Returns the SHA-256 of a text as base64url. Caches identify a token by it and never store the token.
 *
 * @param text hashed as UTF-8
 */
export function tokenDigest(text: string): string {
  return hostCrypto()?.hash('sha256', text, 'base64url') ?? encodeBase64Url(sha256(encodeUtf8(text)));
}
