import { sha256 } from '@noble/hashes/sha2.js';
import { encodeHex, encodeUtf8, type Steps } from '../../foundation/index.js';

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

/** Bytes that are hashed in one step: about a millisecond. */
const HASHED_AT_ONCE = 64 * 1024;

/** {@link documentHash} of a text in parts, or of its bytes, in steps. No part ends within a character of two units. */
export function* hashSteps(parts: Iterable<string | Uint8Array>): Steps<string> {
  const hash = sha256.create();
  for (const part of parts) {
    const bytes = typeof part === 'string' ? encodeUtf8(part) : part;
    for (let from = 0; from < bytes.length; from += HASHED_AT_ONCE) {
      hash.update(bytes.subarray(from, from + HASHED_AT_ONCE));
      yield;
    }
  }
  return encodeHex(hash.digest()).toUpperCase();
}

/** Creates a document from the parts of its text, in steps. */
export function* documentSteps(parts: readonly string[], contentType: string): Steps<CachedDocument> {
  const hash = yield* hashSteps(parts);
  return { text: parts.join(''), hash, etag: `"${hash}"`, contentType };
}

/** Returns whether a client already has this version, by its `If-None-Match` header (RFC 9110, weak comparison). */
export function notModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((item) => {
    const tag = item.trim();
    return tag === '*' || (tag.startsWith('W/') ? tag.slice(2) : tag) === etag;
  });
}
