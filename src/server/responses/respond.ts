/**
 * Responses: an object, a list or a Status in the form that the client negotiated.
 *
 * @module
 */
import {
  encodeUtf8,
  inSlices,
  isLargeWork,
  whenReady,
  workOf,
  type JsonObject,
  type Status,
  type StoredObject,
  type Work,
} from '../../foundation/index.js';
import { timed, type ListOutcome, type ResourceStore, type UpdateOutcome } from '../../registry/index.js';
import type { RequestAudit } from '../../security/index.js';
import type { StorageRecord } from '../../storage/index.js';
import {
  asPartialObjectMetadata,
  encodeJson,
  gzip,
  shouldCompress,
  tableOfObjectSteps,
  type CompressedChunks,
  type EncodedChunks,
  type TextEncoding,
} from '../codec/index.js';
import { storedLength } from '../limits/reservation.js';
import {
  CHUNK_BYTES,
  chunksLength,
  isStream,
  textLength,
  type ApiRequest,
  type ApiResponse,
  type ResponseBody,
  type StreamBody,
  type TextParts,
} from '../requests/http.js';
import { asSerialization } from '../tracing/handler-span.js';
import { isLong, LONG_TEXT } from './item-list.js';
import { listBody } from './list-body.js';
import { addChunks, longBody, longBodyOf, written } from './long-body.js';
import {
  acceptedEncoding,
  encodeOptions,
  longBodyParts,
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
function finish(context: ResponseContext, status: number, body: ResponseBody): ApiResponse | Promise<ApiResponse> {
  const headers = headersOf(context);
  const accepted = acceptedEncoding(context);
  if (accepted === undefined || !shouldCompress(accepted, lengthOf(body))) return { status, headers, body };
  return compressed(context, status, headers, body);
}

async function compressed(
  context: ResponseContext,
  status: number,
  headers: ApiResponse['headers'],
  body: ResponseBody,
): Promise<ApiResponse> {
  return {
    status,
    headers: { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
    body: isStream(body)
      ? { ...body, stream: compressedStream(body), length: undefined, compressed: undefined }
      : await longBodyOf(gzip(bytesOf(body), compressedOf(body)), {
          ...longBodyParts(context),
          storedLength: storedLength(body),
        }),
  };
}

/** Compresses a stream. When it ends, the stream ends, too. */
function compressedStream(body: StreamBody): AsyncIterableIterator<Uint8Array> {
  const chunks = body.stream[Symbol.asyncIterator]();
  const compressedChunks = gzip({ [Symbol.asyncIterator]: () => chunks }, body.compressed);
  const stream: AsyncIterableIterator<Uint8Array> = {
    next: () => compressedChunks.next(),
    return: async () => {
      // The compression does not end what it has not begun.
      await chunks.return?.();
      await compressedChunks.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => stream,
  };
  return stream;
}

const compressedOf = (body: ResponseBody): CompressedChunks | undefined =>
  typeof body === 'object' && ('chunks' in body || 'stream' in body) ? body.compressed : undefined;

function lengthOf(body: ResponseBody): number {
  if (body === undefined) return 0;
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length;
  if (isStream(body)) return body.length ?? Infinity;
  return 'chunks' in body ? chunksLength(body) : textLength(body);
}

/** Yields the bytes of a body in chunks. A text without parts is one chunk. */
async function* bytesOf(body: ResponseBody): AsyncGenerator<Uint8Array> {
  if (body instanceof Uint8Array) {
    for (let from = 0; from < body.length; from += CHUNK_BYTES) yield body.subarray(from, from + CHUNK_BYTES);
  } else if (typeof body === 'string') {
    yield encodeUtf8(body);
  } else if (isStream(body)) {
    yield* body.stream;
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
  const { scope } = context;
  return whenReady(scope.audit?.answered(object, workOf(scope)), () =>
    asSerialization(context, () => whenReady(encoded(context, object), (body) => finish(context, status, body))),
  );
}

/** Encodes an object, a long one in slices. */
function encoded(context: ResponseContext, object: JsonObject): ResponseBody | Promise<ResponseBody> {
  const { serializer } = context.negotiated;
  if (serializer.fromText !== undefined) return encodedText(context, serializer.fromText, encodeJson(object));
  const options = encodeOptions(context);
  const work = workOf(context.scope);
  if (serializer.steps !== undefined)
    return isLargeWork(work, object, true)
      ? inSlices(work, serializer.steps(object, options, work), 'encode')
      : serializer.encode(object, options);
  const isLongOne = (serializer.length?.(object, options, LONG_TEXT) ?? 0) > LONG_TEXT;
  return isLongOne && serializer.chunks !== undefined
    ? inChunks(context, serializer.chunks(object, options, work))
    : serializer.encode(object, options);
}

/** Encodes an object that is given as compact JSON, a long one in slices. */
function encodedText(
  context: ResponseContext,
  encoding: TextEncoding,
  text: string,
): ResponseBody | Promise<ResponseBody> {
  const options = encodeOptions(context);
  return (
    encoding.encode(text, options, LONG_TEXT) ??
    inChunks(context, encoding.chunks(text, options, workOf(context.scope)))
  );
}

function inChunks(context: ResponseContext, chunks: EncodedChunks): Promise<ResponseBody> {
  const source = written((writer) => addChunks(chunks, writer));
  return longBody(source, longBodyParts(context));
}

/** Responds with one stored object. */
export function respondWithRecord(
  context: ResponseContext,
  status: number,
  store: ResourceStore,
  record: StorageRecord,
): ApiResponse | Promise<ApiResponse> {
  const { transformation, serializer } = context.negotiated;
  const { fromText } = serializer;
  if (transformation !== undefined || fromText === undefined)
    return whenReady(
      whenReady(objectOf(context, store, record), (object) => transformed(context, store, object)),
      (object) => respondWith(context, status, object),
    );
  const text = store.text(record);
  const respond = (): ApiResponse | Promise<ApiResponse> =>
    asSerialization(context, () => {
      if (!wantsPretty(context.scope.request, context.negotiated)) return finish(context, status, compactText(text));
      return whenReady(encodedText(context, fromText, text), (body) => finish(context, status, body));
    });
  const { audit } = context.scope;
  return audit === undefined ? respond() : whenReady(audit.responded(text, workOf(context.scope)), respond);
}

/** Returns the object of a record: a long one in slices, and without keeping it. */
function objectOf(
  { scope }: ResponseContext,
  store: ResourceStore,
  record: StorageRecord,
): StoredObject | Promise<StoredObject> {
  const work = workOf(scope);
  return isLong(record) ? inSlices(work, store.peekSteps(work, record), 'decode') : store.read(record);
}

/** Returns the body of a stored text. A long one is encoded as the client takes it. */
function compactText(text: string): ResponseBody {
  if (text.length <= CHUNK_BYTES) return `${text}\n`;
  const parts: string[] = [];
  for (let from = 0; from < text.length; from += PART_LENGTH) parts.push(text.slice(from, from + PART_LENGTH));
  return { head: '', parts, separator: '', tail: '\n', ascii: true, partsLength: text.length };
}

/** Length of the parts of a long text, in characters. */
const PART_LENGTH = 32 * 1024;

/** Responds with the object that an update wrote: 201 when it is new. */
export function respondWithUpdated(
  context: ResponseContext,
  store: ResourceStore,
  { old, record }: UpdateOutcome,
): ApiResponse | Promise<ApiResponse> {
  return respondWithRecord(context, old === undefined ? 201 : 200, store, record);
}

/** Transforms an object to the negotiated form; a row of a Table in slices. */
function transformed(
  context: ResponseContext,
  store: ResourceStore,
  object: StoredObject,
): JsonObject | Promise<JsonObject> {
  const { transformation } = context.negotiated;
  if (transformation === undefined || transformation.kind === 'APIGroupDiscoveryList') return object;
  const { kind, version } = transformation;
  if (kind === 'Table') {
    const work = workOf(context.scope);
    return inSlices(work, tableOfObjectSteps(object, tableOptions(context, store, version), work), 'encode');
  }
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

function serializeList(
  context: ResponseContext,
  store: ResourceStore,
  outcome: ListOutcome,
): ApiResponse | Promise<ApiResponse> {
  const { audit } = context.scope;
  if (audit !== undefined) return serializeAudited(context, audit, store, outcome);
  return whenReady(listBody(context, store, outcome), (body) => finish(context, 200, body));
}

async function serializeAudited(
  context: ResponseContext,
  audit: RequestAudit,
  store: ResourceStore,
  outcome: ListOutcome,
): Promise<ApiResponse> {
  const { clock } = store.environment;
  const body = await timed({ took: audit.took, clock }, 'serialize-response-object', async () =>
    listBody(context, store, outcome),
  );
  if (audit.recordsResponse) {
    const json = asJson(context);
    const work = workOf(context.scope);
    const isOwn = json === context && !isStream(body);
    const source = isOwn ? body : await listBody(json, store, outcome);
    await audit.responded(await recordedText(source, audit.maxEventBytes, work), work);
  }
  return finish(context, 200, body);
}

/** Returns the context of the same response in compact JSON. */
function asJson(context: ResponseContext): ResponseContext {
  const { responder, negotiated } = context;
  const serializer = responder.codec.serializerFor(JSON_MEDIA_TYPE);
  return serializer === negotiated.serializer ? context : { ...context, negotiated: { ...negotiated, serializer } };
}

/** Memory of a recorded text for each of its bytes: the text, its printable form, and the bytes of its event. */
const RECORDED_COPIES = 3;

/**
 * Returns the text of a body as the audit log records it, in pieces; undefined when it is longer than any backend takes.
 *
 * @throws ApiError 429 when there is no memory for it
 */
async function recordedText(body: ResponseBody, most: number, work: Work): Promise<readonly string[] | undefined> {
  const text: string[] = [];
  let length = 0;
  for await (const chunk of textsOf(body)) {
    length += chunk.length;
    if (length > most) return undefined;
    work.reserve(chunk.length * RECORDED_COPIES);
    text.push(chunk);
    if (work.spend(chunk.length / RECORDED_PER_UNIT)) await work.next('encode');
  }
  return text;
}

/** Characters of a recorded text that are copied in 50 ns. */
const RECORDED_PER_UNIT = 64;

/** Yields the text of a body in chunks. */
async function* textsOf(body: ResponseBody): AsyncGenerator<string> {
  if (typeof body === 'string') {
    yield body;
  } else if (body !== undefined && 'parts' in body) {
    yield* chunksOfText(body);
  } else {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    for await (const chunk of bytesOf(body)) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  }
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
