/**
 * Responses: an object, a list or a Status in the form that the client negotiated.
 *
 * @module
 */
import {
  asPartialObjectMetadata,
  defaultColumns,
  gzip,
  parseIncludeObject,
  shouldCompress,
  tableOfList,
  tableOfObject,
  wantsPretty as prettyByDefault,
  type Codec,
  type IncludeObject,
  type Negotiated,
  type TableOptions,
} from '../codec/index.js';
import type { Status } from '../meta/api-error.js';
import type { Clock } from '../meta/clock.js';
import { encodeUtf8 } from '../encoding/utf8.js';
import type { JsonObject } from '../meta/json.js';
import type { ListMeta, StoredObject } from '../meta/object.js';
import type { Dialect } from '../names/dialect.js';
import { listMeta, type ListOutcome } from '../registry/list.js';
import type { ResourceStore } from '../registry/store.js';
import type { UpdateOutcome } from '../registry/update.js';
import type { StructuralSchema } from '../schema/structural.js';
import type { StorageRecord } from '../storage/storage.js';
import {
  joinedText,
  textLength,
  type ApiRequest,
  type ApiResponse,
  type ResponseBody,
  type TextParts,
} from './http.js';
import type { RequestScope } from './request-scope.js';

const CACHE_CONTROL = 'no-cache, private';
const JSON_MEDIA_TYPE = 'application/json';

/** Dependencies of the responses. */
export interface Responder {
  readonly codec: Codec;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** Group of Table and other metadata kinds. */
  readonly metaGroup: string;
  readonly compress: boolean;
  schemaFor(apiVersion: string, kind: string): StructuralSchema | undefined;
}

/** A request to respond to, in the form that its client negotiated. */
export interface ResponseContext {
  readonly responder: Responder;
  readonly scope: RequestScope;
  readonly negotiated: Negotiated;
}

/**
 * Returns whether the output is indented: by the Accept header or the parameter `pretty`; by default for browsers and
 * command-line clients.
 */
function wantsPretty({ query, headers }: ApiRequest, negotiated: Negotiated): boolean {
  if (negotiated.pretty) return true;
  const parameter = query.includes('pretty') ? (new URLSearchParams(query).get('pretty') ?? undefined) : undefined;
  return prettyByDefault(parameter, headers.get('user-agent'));
}

/** Returns the header fields of a successful response. */
export function headersOf({
  scope: { warnings },
  negotiated: { contentType },
}: ResponseContext): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {
    'content-type': contentType,
    'cache-control': CACHE_CONTROL,
  };
  if (warnings.length > 0) headers['warning'] = warnings;
  return headers;
}

/** Completes a response: adds the header fields, and compresses the body if the client accepts that. */
async function finish(context: ResponseContext, status: number, body: ResponseBody): Promise<ApiResponse> {
  const headers = headersOf(context);
  const { responder, scope } = context;
  const accepted =
    responder.compress && scope.request.method === 'GET' ? scope.request.headers.get('accept-encoding') : undefined;
  if (accepted === undefined || !shouldCompress(accepted, lengthOf(body))) return { status, headers, body };
  return {
    status,
    headers: { ...headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' },
    body: await gzip(bytesOf(body)),
  };
}

function lengthOf(body: ResponseBody): number {
  if (body === undefined) return 0;
  if (typeof body === 'string' || body instanceof Uint8Array) return body.length;
  return 'parts' in body ? textLength(body) : 0;
}

function bytesOf(body: ResponseBody): Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (typeof body === 'string') return encodeUtf8(body);
  return encodeUtf8(body !== undefined && 'parts' in body ? joinedText(body) : '');
}

/** Responds with any JSON value in the negotiated form. */
export function respondWith(context: ResponseContext, status: number, object: JsonObject): Promise<ApiResponse> {
  const { responder, scope, negotiated } = context;
  const options = { pretty: wantsPretty(scope.request, negotiated), schemaFor: responder.schemaFor };
  return finish(context, status, negotiated.serializer.encode(object, options));
}

/** Responds with one stored object. */
export function respondWithRecord(
  context: ResponseContext,
  status: number,
  store: ResourceStore,
  record: StorageRecord,
): Promise<ApiResponse> {
  if (isStoredForm(context)) return finish(context, status, `${store.text(record)}\n`);
  return respondWith(context, status, transformed(context, store, store.read(record), false));
}

/** Responds with the object that an update wrote: 201 when it is new. */
export function respondWithUpdated(
  context: ResponseContext,
  store: ResourceStore,
  { old, record }: UpdateOutcome,
): Promise<ApiResponse> {
  return respondWithRecord(context, old === undefined ? 201 : 200, store, record);
}

/** Returns whether the client wants objects in the form in which they are stored: JSON without indentation. */
function isStoredForm({ scope, negotiated }: ResponseContext): boolean {
  const { transformation, serializer } = negotiated;
  return (
    transformation === undefined && serializer.mediaType === JSON_MEDIA_TYPE && !wantsPretty(scope.request, negotiated)
  );
}

/** Transforms an object or a list to the negotiated form. */
function transformed(context: ResponseContext, store: ResourceStore, object: JsonObject, isList: boolean): JsonObject {
  const { transformation } = context.negotiated;
  if (transformation === undefined || transformation.kind === 'APIGroupDiscoveryList') return object;
  const { kind, version } = transformation;
  if (kind !== 'Table') return asPartialObjectMetadata(object, kind, isList, context.responder.dialect, version);
  const options = tableOptions(context, store, version);
  return isList ? tableOfList(object, options) : tableOfObject(object as StoredObject, options);
}

/** Returns which part of the object each row of a Table includes. @throws ApiError 400 */
export function includeObjectOf(scope: RequestScope): IncludeObject {
  return parseIncludeObject(
    scope.request.query.includes('includeObject') ? (scope.query.get('includeObject') ?? undefined) : undefined,
  );
}

/** Returns the options of the Table of a kind. */
export function tableOptions(
  { responder, scope }: Omit<ResponseContext, 'negotiated'>,
  store: ResourceStore,
  version: TableOptions['version'],
): TableOptions {
  return {
    columns: store.info.definition.columns ?? defaultColumns,
    dialect: responder.dialect,
    version,
    includeObject: includeObjectOf(scope),
    nowMs: responder.clock.now(),
  };
}

/** Responds with a collection. */
export function respondWithList(
  context: ResponseContext,
  store: ResourceStore,
  outcome: ListOutcome,
): Promise<ApiResponse> {
  const metadata = listMeta(outcome);
  if (isStoredForm(context)) return finish(context, 200, listText(store, outcome.records, metadata));
  const { info } = store;
  const items = outcome.records.map((record) =>
    context.negotiated.transformation === undefined ? itemOf(store, store.read(record)) : store.read(record),
  );
  const list = { kind: info.listKind, apiVersion: info.apiVersion, metadata: { ...metadata }, items };
  return respondWith(context, 200, transformed(context, store, list, true));
}

/** Returns an item of a list: items of built-in kinds omit kind and apiVersion. */
function itemOf(store: ResourceStore, object: StoredObject): JsonObject {
  if (store.info.definition.origin !== 'builtin') return object;
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object;
  return rest;
}

/** Assembles the JSON of a list from the stored texts of its objects, without copying them. */
function listText(store: ResourceStore, records: readonly StorageRecord[], metadata: ListMeta): TextParts {
  const { info } = store;
  const open = records.length === 0 ? '' : '{';
  const head = `{"kind":${JSON.stringify(info.listKind)},"apiVersion":${JSON.stringify(info.apiVersion)},"metadata":${JSON.stringify(metadata)},"items":[${open}`;
  const skip = info.definition.origin === 'builtin' ? store.typePrefix.length : 1;
  const parts = new Array<string>(records.length);
  for (let index = 0; index < records.length; index += 1)
    parts[index] = store.text(records[index] as StorageRecord).slice(skip);
  return { head, parts, separator: ',{', tail: ']}\n', ascii: true };
}

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
