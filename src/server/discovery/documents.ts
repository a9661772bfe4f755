import { documentHash } from '../digest.js';

/** A document that changes only with what is served: its text, made once, and what names this version of it. */
export interface CachedDocument {
  readonly text: string;
  /** Quoted, as it stands in the `ETag` header. */
  readonly etag: string;
  /** The same without quotes. */
  readonly hash: string;
  readonly contentType: string;
}

/** Makes a document of a value. */
export function cachedDocument(value: object, contentType: string): CachedDocument {
  const text = `${JSON.stringify(value)}\n`;
  const hash = documentHash(text);
  return { text, hash, etag: `"${hash}"`, contentType };
}

/** Whether a client has this version already, by its `If-None-Match` header (RFC 9110, weak comparison). */
export function notModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((item) => {
    const tag = item.trim();
    return tag === '*' || (tag.startsWith('W/') ? tag.slice(2) : tag) === etag;
  });
}
