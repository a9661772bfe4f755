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
import type { JsonObject } from '../meta/json.js';
import type { ListMeta, StoredObject } from '../meta/object.js';
import type { ListOutcome } from '../registry/list.js';
import type { Dialect } from '../names/dialect.js';
import { listMeta } from '../registry/list.js';
import type { ResourceStore } from '../registry/store.js';
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

/**
 * Returns whether the output is indented: by the Accept header or the parameter `pretty`; by default for browsers and
 * command-line clients.
 */
function wantsPretty({ query, headers }: ApiRequest, negotiated: Negotiated): boolean {
  if (negotiated.pretty) return true;
  const parameter = query.includes('pretty') ? (new URLSearchParams(query).get('pretty') ?? undefined) : undefined;
  return prettyByDefault(parameter, headers.get('user-agent'));
}

function headersOf(scope: RequestScope, contentType: string): Record<string, string | readonly string[]> {
  const headers: Record<string, string | readonly string[]> = {
    'content-type': contentType,
    'cache-control': CACHE_CONTROL,
  };
  const { warnings } = scope;
  if (warnings.length > 0) headers['warning'] = warnings;
  return headers;
}

async function finish(
  responder: Responder,
  scope: RequestScope,
  status: number,
  contentType: string,
  body: ResponseBody,
): Promise<ApiResponse> {
  const headers = headersOf(scope, contentType);
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

const encoder = new TextEncoder();

function bytesOf(body: ResponseBody): Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (typeof body === 'string') return encoder.encode(body);
  return encoder.encode(body !== undefined && 'parts' in body ? joinedText(body) : '');
}

/** Responds with any JSON value in the negotiated form. */
export function respondWith(
  responder: Responder,
  scope: RequestScope,
  negotiated: Negotiated,
  status: number,
  object: JsonObject,
): Promise<ApiResponse> {
  const context = { pretty: wantsPretty(scope.request, negotiated), schemaFor: responder.schemaFor };
  return finish(responder, scope, status, negotiated.contentType, negotiated.serializer.encode(object, context));
}

/** Responds with one stored object. */
export function respondWithRecord(
  responder: Responder,
  scope: RequestScope,
  negotiated: Negotiated,
  status: number,
  store: ResourceStore,
  record: StorageRecord,
): Promise<ApiResponse> {
  const { transformation, serializer } = negotiated;
  const pretty = wantsPretty(scope.request, negotiated);
  if (transformation === undefined) {
    if (serializer.mediaType === JSON_MEDIA_TYPE && !pretty)
      return finish(responder, scope, status, negotiated.contentType, `${store.text(record)}\n`);
    const context = { pretty, schemaFor: responder.schemaFor };
    return finish(responder, scope, status, negotiated.contentType, serializer.encode(store.read(record), context));
  }
  return respondWith(
    responder,
    scope,
    negotiated,
    status,
    transformed(responder, scope, negotiated, store, store.read(record), false),
  );
}

/** Transforms an object or a list to the negotiated form. */
function transformed(
  responder: Responder,
  scope: RequestScope,
  negotiated: Negotiated,
  store: ResourceStore,
  object: JsonObject,
  isList: boolean,
): JsonObject {
  const { transformation } = negotiated;
  if (transformation === undefined || transformation.kind === 'APIGroupDiscoveryList') return object;
  if (transformation.kind !== 'Table')
    return asPartialObjectMetadata(object, transformation.kind, isList, responder.dialect, transformation.version);
  const options = tableOptions(responder, scope, store, transformation.version);
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
  responder: Responder,
  scope: RequestScope,
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
  responder: Responder,
  scope: RequestScope,
  negotiated: Negotiated,
  store: ResourceStore,
  outcome: ListOutcome,
): Promise<ApiResponse> {
  const { transformation, serializer } = negotiated;
  const metadata = listMeta(outcome);
  if (
    transformation === undefined &&
    serializer.mediaType === JSON_MEDIA_TYPE &&
    !wantsPretty(scope.request, negotiated)
  ) {
    return finish(responder, scope, 200, negotiated.contentType, listText(store, outcome.records, metadata));
  }
  const { info } = store;
  const items = outcome.records.map((record) =>
    transformation === undefined ? itemOf(store, store.read(record)) : store.read(record),
  );
  const list = { kind: info.listKind, apiVersion: info.apiVersion, metadata: { ...metadata }, items };
  return respondWith(responder, scope, negotiated, 200, transformed(responder, scope, negotiated, store, list, true));
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
