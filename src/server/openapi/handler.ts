import type { ApiResponse } from '../http.js';
import { notModified, type CachedDocument } from '../discovery/index.js';

/** The documents to answer with. */
export interface OpenApiDocuments {
  index(): CachedDocument;
  version2(): CachedDocument;
  document(path: string): CachedDocument | undefined;
  url(path: string): string;
}

/** What the answer depends on. */
export interface OpenApiRequest {
  /** Decoded, without a trailing slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
const PREFIX = '/openapi/v3/';

/**
 * Answers below `/openapi`. Documents come as JSON; a client that takes only their protobuf form is told 406.
 *
 * A document that is asked for by the hash of its content never changes and may be kept for good; one asked for by
 * another hash is redirected to the present one.
 *
 * @returns undefined when the path is not one of these, or names a version that is not served
 */
export function handleOpenApi(documents: OpenApiDocuments, { path, query, accept, ifNoneMatch, nowMs }: OpenApiRequest): ApiResponse | undefined {
  const document = find(documents, path);
  if (document === undefined) return undefined;
  if (!acceptsJson(accept)) return { status: 406, headers: { vary: 'Accept' }, body: undefined };
  const headers: Record<string, string> = { 'content-type': document.contentType, etag: document.etag, vary: 'Accept' };
  const hash = query.get('hash') ?? '';
  if (path.startsWith(PREFIX) && hash !== '') {
    if (hash !== document.hash) return { status: 301, headers: { location: documents.url(path.slice(PREFIX.length)), vary: 'Accept' }, body: undefined };
    headers['cache-control'] = 'public, immutable';
    headers['expires'] = new Date(nowMs + YEAR_MS).toUTCString();
  }
  return notModified(ifNoneMatch, document.etag) ? { status: 304, headers, body: undefined } : { status: 200, headers, body: document.text };
}

function find(documents: OpenApiDocuments, path: string): CachedDocument | undefined {
  if (path === '/openapi/v3') return documents.index();
  if (path === '/openapi/v2') return documents.version2();
  return path.startsWith(PREFIX) ? documents.document(path.slice(PREFIX.length)) : undefined;
}

function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === '') return true;
  return accept.split(',').some((clause) => {
    const [type = '', ...parameters] = clause.split(';').map((word) => word.trim().toLowerCase());
    if (type !== 'application/json' && type !== 'application/*' && type !== '*/*') return false;
    return !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
