import { sha256 } from '@noble/hashes/sha2.js';
import { encodeHex } from '../../encoding/hex.js';
import { encodeUtf8 } from '../../encoding/utf8.js';

/** A cached document and the hash of its version. */
export interface CachedDocument {
  readonly text: string;
  /** The hash in quotes, as in the `ETag` header. */
  readonly etag: string;
  /** The hash without quotes. */
  readonly hash: string;
  readonly contentType: string;
}

/** Returns the SHA-256 of a text as upper-case hexadecimal digits, the form of document versions. */
export function documentHash(text: string): string {
  return encodeHex(sha256(encodeUtf8(text))).toUpperCase();
}

/** Creates a document from a value. */
export function cachedDocument(value: object, contentType: string): CachedDocument {
  const text = `${JSON.stringify(value)}\n`;
  const hash = documentHash(text);
  return { text, hash, etag: `"${hash}"`, contentType };
}

/** Returns whether a client already has this version, by its `If-None-Match` header (RFC 9110, weak comparison). */
export function notModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((item) => {
    const tag = item.trim();
    return tag === '*' || (tag.startsWith('W/') ? tag.slice(2) : tag) === etag;
  });
}
