/**
 * Responses: an object, a list or a Status in the form that the client negotiated.
 *
 * @module
 */
import { asPartialObjectMetadata, gzip, shouldCompress, tableOfObject, type CompressedChunks } from '../codec/index.js';
import { concatBytes } from '../encoding/bytes.js';
import { decodeUtf8Lossy, encodeUtf8 } from '../encoding/utf8.js';
import type { Status } from '../meta/api-error.js';
import type { JsonObject } from '../meta/json.js';
import type { StoredObject } from '../meta/object.js';
import { timed } from '../registry/latency.js';
import type { ListOutcome } from '../registry/list.js';
import type { ResourceStore } from '../registry/store.js';
import type { UpdateOutcome } from '../registry/update.js';
import type { StorageRecord } from '../storage/storage.js';
import {
  CHUNK_BYTES,
  chunksLength,
  isStream,
  joinedText,
  textLength,
  type ApiRequest,
  type ApiResponse,
  type ResponseBody,
  type TextParts,
} from './http.js';
import { listBody } from './list-body.js';
import { asSerialization } from './tracing/handler-span.js';
import {
  encodeOptions,
  isStoredForm,
  tableOptions,
  wantsPretty,
  type Responder,
  type ResponseContext,
} from './response-context.js';

const CACHE_CONTROL = 'no-cache, private';

/** Returns the header fields of a successful response, with the id of the request. */
export function headersOf({
  scope: { auditId, warnings },
  negotiated: { contentType },
}: ResponseContext): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {
    'audit-id': auditId,
    'content-type': contentType,
    'cache-control': CACHE_CONTROL,
  };
  if (warnings.length > 0) headers['warning'] = warnings;
  return headers;
}

/** Completes a response: adds the header fields, and compresses the body if the client accepts that. */
function finish(
  context: ResponseContext,
  status: number,
  body: ResponseBody,
  ascii = false,
): ApiResponse | Promise<ApiResponse> {
  const headers = headersOf(context);
  const { responder, scope } = context;
  const accepted =
    responder.compress && scope.request.method === 'GET' ? scope.request.headers.get('accept-encoding') : undefined;
  if (accepted === undefined || !shouldCompress(accepted, lengthOf(body))) return { status, headers, body, ascii };
  return compressed(status, headers, body);
}

async function compressed(status: number, headers: ApiResponse['headers'], body: ResponseBody): Promise<ApiResponse> {
  return {
    status,
    headers: { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
    body: { chunks: await gzip(chunksOf(body), compressedOf(body)) },
  };
}

const compressedOf = (body: ResponseBody): CompressedChunks | undefined =>
  typeof body === 'object' && 'chunks' in body ? body.compressed : undefined;

function lengthOf(body: ResponseBody): number {
  if (body === undefined) return 0;
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length;
  if ('chunks' in body) return chunksLength(body);
  return 'parts' in body ? textLength(body) : 0;
}

/** Yields the bytes of a body in chunks. A text without parts is one chunk. */
async function* chunksOf(body: ResponseBody): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) {
    for (let from = 0; from < body.length; from += CHUNK_BYTES) yield body.subarray(from, from + CHUNK_BYTES);
  } else if (typeof body === 'string') {
    yield encodeUtf8(body);
  } else if (body !== undefined && 'chunks' in body) {
    yield* body.chunks;
  } else if (body !== undefined && 'parts' in body) {
    for (const text of chunksOfText(body)) yield encodeUtf8(text);
  }
}

/** Yields a text in parts in chunks. */
function* chunksOfText({ head, parts, separator, tail }: TextParts): Generator<string> {
  let chunk = head;
  for (const [index, part] of parts.entries()) {
    chunk += index === 0 ? part : separator + part;
    if (chunk.length < CHUNK_BYTES) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk + tail;
}

/** Responds with any JSON value in the negotiated form. */
export function respondWith(
  context: ResponseContext,
  status: number,
  object: JsonObject,
): ApiResponse | Promise<ApiResponse> {
  context.scope.audit?.answered(object);
  return asSerialization(context, () =>
    finish(context, status, context.negotiated.serializer.encode(object, encodeOptions(context))),
  );
}

/** Responds with one stored object. */
export function respondWithRecord(
  context: ResponseContext,
  status: number,
  store: ResourceStore,
  record: StorageRecord,
): ApiResponse | Promise<ApiResponse> {
  if (isStoredForm(context)) {
    const text = store.text(record);
    context.scope.audit?.responded(text);
    return asSerialization(context, () => finish(context, status, `${text}\n`, true));
  }
  return respondWith(context, status, transformed(context, store, store.read(record)));
}

/** Responds with the object that an update wrote: 201 when it is new. */
export function respondWithUpdated(
  context: ResponseContext,
  store: ResourceStore,
  { old, record }: UpdateOutcome,
): ApiResponse | Promise<ApiResponse> {
  return respondWithRecord(context, old === undefined ? 201 : 200, store, record);
}

/** Transforms an object to the negotiated form. */
function transformed(context: ResponseContext, store: ResourceStore, object: StoredObject): JsonObject {
  const { transformation } = context.negotiated;
  if (transformation === undefined || transformation.kind === 'APIGroupDiscoveryList') return object;
  const { kind, version } = transformation;
  if (kind === 'Table') return tableOfObject(object, tableOptions(context, store, version));
  return asPartialObjectMetadata(object, kind, false, context.responder.dialect, version);
}

/** Responds with a collection. */
export function respondWithList(
  context: ResponseContext,
  store: ResourceStore,
  outcome: ListOutcome,
): ApiResponse | Promise<ApiResponse> {
  return asSerialization(context, () => serializeList(context, store, outcome));
}

async function serializeList(
  context: ResponseContext,
  store: ResourceStore,
  outcome: ListOutcome,
): Promise<ApiResponse> {
  const { audit } = context.scope;
  const { clock } = store.environment;
  const body = await timed({ took: audit?.took, clock }, 'serialize-response-object', () =>
    listBody(context, store, outcome),
  );
  if (audit?.recordsResponse === true) {
    const json = asJson(context);
    audit.responded(textOf(json === context ? body : await listBody(json, store, outcome)));
  }
  return finish(context, 200, body);
}

/** Returns the context of the same response in JSON. */
function asJson(context: ResponseContext): ResponseContext {
  const { responder, negotiated } = context;
  const serializer = responder.codec.serializerFor(JSON_MEDIA_TYPE);
  return serializer === negotiated.serializer ? context : { ...context, negotiated: { ...negotiated, serializer } };
}

/** Returns the whole text of a body that is not streamed. */
function textOf(body: ResponseBody): string {
  if (typeof body === 'string') return body;
  if (body === undefined || isStream(body)) return '';
  if ('parts' in body) return joinedText(body);
  return decodeUtf8Lossy(body instanceof Uint8Array ? body : concatBytes(body.chunks));
}

const JSON_MEDIA_TYPE = 'application/json';

/**
 * Responds with a failure. When the requested form is not supported, it falls back to JSON.
 *
 * @param warnings values of the `Warning` header
 */
export function respondWithStatus(
  responder: Responder,
  request: ApiRequest,
  status: Status,
  warnings: readonly string[] = [],
): ApiResponse {
  const headers: Record<string, string | readonly string[]> = { 'cache-control': CACHE_CONTROL };
  const retryAfter = status.details?.retryAfterSeconds;
  if (retryAfter !== undefined && retryAfter > 0) headers['retry-after'] = String(retryAfter);
  if (warnings.length > 0) headers['warning'] = warnings;
  const code = status.code ?? (status.status === 'Success' ? 200 : 500);
  const negotiated = responder.codec.negotiateError(request.headers.get('accept'));
  headers['content-type'] = negotiated.contentType;
  const body = negotiated.serializer.encode(status, {
    pretty: wantsPretty(request, negotiated),
    schemaFor: responder.schemaFor,
  });
  return { status: code, headers, body };
}
