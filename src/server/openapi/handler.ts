import { parseAccept } from '../codec/index.js';
import { notModified } from '../discovery/index.js';
import type { ApiResponse } from '../requests/http.js';
import type { OpenApiDocument } from './written-document.js';

/** The OpenAPI documents. */
export interface OpenApiDocuments {
  index(): Promise<OpenApiDocument>;
  version2(): Promise<OpenApiDocument>;
  version2Protobuf(): Promise<OpenApiDocument>;
  document(path: string): Promise<OpenApiDocument> | undefined;
  url(path: string): Promise<string>;
}

/** An OpenAPI request. */
export interface OpenApiRequest {
  /** Decoded path without a trailing slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly accept: string | undefined;
  readonly ifNoneMatch: string | undefined;
  /** Current time in milliseconds since the epoch. */
  readonly nowMs: number;
}

const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
const PREFIX = '/openapi/v3/';

/** A format of a document. */
interface Form {
  /** Subtypes of `application` that select it. */
  readonly subtypes: readonly string[];
  readonly document: () => Promise<OpenApiDocument>;
}

/** Media subtypes of version 2 in protobuf. The older one contains an at sign, which media types must not contain. */
const PROTOBUF_SUBTYPES = [
  'com.github.proto-openapi.spec.v2@v1.0+protobuf',
  'com.github.proto-openapi.spec.v2.v1.0+protobuf',
];

/** Content type of version 2 in protobuf. */
export const VERSION2_PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/**
 * Handles the paths below `/openapi`. Documents are available as JSON, version 2 also as protobuf; any other format is
 * refused with 406.
 *
 * A document requested with its current hash is immutable and cacheable; a request with another hash is redirected to
 * the current one.
 *
 * @returns undefined for an unknown path or an unknown version
 */
export async function handleOpenApi(
  documents: OpenApiDocuments,
  { path, query, accept, ifNoneMatch, nowMs }: OpenApiRequest,
): Promise<ApiResponse | undefined> {
  const forms = formsOf(documents, path);
  if (forms === undefined) return undefined;
  const document = await choose(forms, accept)?.document();
  if (document === undefined) return { status: 406, headers: { vary: 'Accept' }, body: undefined };
  const headers: Record<string, string> = { 'content-type': document.contentType, etag: document.etag, vary: 'Accept' };
  const hash = query.get('hash') ?? '';
  if (path.startsWith(PREFIX) && hash !== '') {
    if (hash !== document.hash)
      return {
        status: 301,
        headers: { location: await documents.url(path.slice(PREFIX.length)), vary: 'Accept' },
        body: undefined,
      };
    headers['cache-control'] = 'public, immutable';
    headers['expires'] = new Date(nowMs + YEAR_MS).toUTCString();
  }
  if (notModified(ifNoneMatch, document.etag)) return { status: 304, headers, body: undefined };
  return { status: 200, headers, body: await document.read() };
}

function formsOf(documents: OpenApiDocuments, path: string): readonly Form[] | undefined {
  if (path === '/openapi/v3') return [json(() => documents.index())];
  if (path === '/openapi/v2')
    return [
      json(() => documents.version2()),
      { subtypes: PROTOBUF_SUBTYPES, document: () => documents.version2Protobuf() },
    ];
  const document = path.startsWith(PREFIX) ? documents.document(path.slice(PREFIX.length)) : undefined;
  return document === undefined ? undefined : [json(() => document)];
}

function json(document: Form['document']): Form {
  return { subtypes: ['json'], document };
}

/** Returns the format that the client prefers. */
function choose(forms: readonly Form[], accept: string | undefined): Form | undefined {
  for (const { type, subtype, quality } of parseAccept(
    accept === undefined || accept.trim() === '' ? '*/*' : accept.toLowerCase(),
  )) {
    if (quality === 0 || (type !== 'application' && type !== '*')) continue;
    const form = forms.find(({ subtypes }) => subtype === '*' || subtypes.includes(subtype));
    if (form !== undefined) return form;
  }
  return undefined;
}
