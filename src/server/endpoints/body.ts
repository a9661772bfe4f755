import {
  ApiError,
  decodeUtf8Lossy,
  errors,
  inSlices,
  invalid,
  isJsonObject,
  isLongValue,
  jsonText,
  LONG_VALUE,
  noteLength,
  shownText,
  stringOrEmpty,
  whenReady,
  workOf,
  type ApiObject,
  type JsonValue,
  type Work,
} from '../../foundation/index.js';
import { DecodeTypeError, jsonTypeName } from '../../machinery/index.js';
import type { RequestContext, ResourceInfo } from '../../registry/index.js';
import { notRegistered, unhandledBody } from '../codec/decode-problem.js';
import { unrecognizedBody, type DecodedDocument, type Serializer } from '../codec/index.js';
import { strictSteps, type FieldValidation } from '../codec/strict.js';
import { isCustom } from '../discovery/index.js';
import { reportStrict } from '../operations/patching.js';
import type { ReadAnObject, ResourceOperations } from '../operations/resource-operations.js';
import { BodyTooLargeError } from '../requests/http.js';
import type { RequestScope } from '../requests/request-scope.js';
import type { Responder } from '../responses/response-context.js';

/**
 * Reads the body of a request; a body that has arrived needs no promise.
 *
 * @throws ApiError 413 when the body is too long, 429 when it does not fit into the limits of bodies
 */
export function readBody(scope: RequestScope, limit: number): Uint8Array | Promise<Uint8Array> {
  return arrivedBody(scope, limit) ?? readArriving(scope, limit);
}

/** Memory of a byte of a body: in its chunks and in the whole body, later in the body and in its text. */
const READ_COPIES = 2;

/** Takes a body that has arrived: its request does not wait, and keeps its slot. */
function arrivedBody({ request, reservation, interception }: RequestScope, limit: number): Uint8Array | undefined {
  // An interceptor may have read the body.
  const body = interception === undefined ? request.arrivedBody?.(limit) : undefined;
  if (body !== undefined) reservation?.reserve(body.length * READ_COPIES);
  return body;
}

async function readArriving(scope: RequestScope, limit: number): Promise<Uint8Array> {
  try {
    const { slot, request, reservation } = scope;
    let reserved = 0;
    const read = (onChunk?: (bytes: number) => void): Promise<Uint8Array> =>
      request.body(limit, (bytes) => {
        onChunk?.(bytes);
        reservation?.reserve(bytes * READ_COPIES);
        reserved += bytes;
      });
    const start = (): Promise<Uint8Array> => (slot === undefined ? read() : slot.whileReading(read));
    // An interceptor may read the body before the endpoint does.
    const body = await (scope.interception === undefined ? start() : (scope.bodyRead ??= start()));
    // A framework, or an interceptor, has read the body before the server.
    if (body.length > reserved) reservation?.reserve((body.length - reserved) * READ_COPIES);
    return body;
  } catch (error) {
    throw bodyError(error, limit);
  }
}

/**
 * Reads the body of a request for its interceptor, which may ask before the request has its place among those in flight,
 * or after it has left: it does not count there.
 *
 * @throws ApiError 413 when the body is too long
 */
export async function readBodyForInterceptor(scope: RequestScope, limit: number): Promise<Uint8Array> {
  try {
    return await (scope.bodyRead ??= scope.request.body(limit));
  } catch (error) {
    throw bodyError(error, limit);
  }
}

const bodyError = (error: unknown, limit: number): unknown =>
  error instanceof BodyTooLargeError ? errors.requestEntityTooLarge(`limit is ${limit}`) : error;

/** Returns the serializer for a request's body. @throws ApiError 415 */
export function bodySerializer(responder: Responder, scope: RequestScope): Serializer {
  return responder.codec.serializerFor(scope.request.headers.get('content-type') ?? '');
}

/** A body as a JSON value. */
export interface ReadBody {
  readonly document: DecodedDocument;
  readonly serializer: Serializer;
  /** The body as sent. */
  readonly bytes: Uint8Array;
}

/**
 * Memory of a byte of a body while the request is worked on, besides the body and its value: the text to store, the form
 * of it that is compared or encoded, and what of these has not been collected yet.
 */
const WORK_COPIES = 4;

/** Length of a body from which its work is counted, in bytes: less is within what is kept for small requests. */
const COUNTED_WORK = 16 * 1024;

/** Decodes a body to a JSON value, in slices when it is long; the schema of the kind is applied later. */
export function decodeBody(
  responder: Responder,
  serializer: Serializer,
  info: ResourceInfo,
  bytes: Uint8Array,
  work: Work | undefined,
): ReadBody | Promise<ReadBody> {
  const checked = (document: DecodedDocument): ReadBody => {
    const problem = typeMetaProblem(document.value);
    if (problem !== undefined)
      throw unrecognizedBody(info.kind, `couldn't get version/kind; json parse error: ${problem}`, bytes);
    return { document: document.value === null ? { ...document, value: {} } : document, serializer, bytes };
  };
  noteLength(work, bytes.length);
  if (bytes.length >= COUNTED_WORK) work?.reserve(bytes.length * WORK_COPIES);
  const decoded = serializer.decode(bytes, {
    kind: info.kind,
    schema: info.schema,
    work,
    keepsNumbers: info.definition.origin === 'builtin',
    schemaFor: responder.schemaFor,
  });
  return whenReady(decoded, checked);
}

/** Go type that kind and version are decoded into, as in Kubernetes' error messages. */
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/**
 * Returns why kind and version cannot be decoded; undefined when they can be or are absent. Null counts as an empty
 * object.
 */
function typeMetaProblem(value: JsonValue): string | undefined {
  if (value === null) return undefined;
  if (!isJsonObject(value)) return `json: cannot unmarshal ${jsonTypeName(value)} into Go value of type ${TYPE_META}`;
  const { kind, apiVersion } = value;
  return notText('kind', kind) ?? notText('apiVersion', apiVersion);
}

function notText(name: string, member: JsonValue | undefined): string | undefined {
  if (typeof member === 'string' || member === undefined || member === null) return undefined;
  return `json: cannot unmarshal ${jsonTypeName(member)} into Go struct field .${name} of type string`;
}

/**
 * Checks that the body of a custom resource has the kind and version of its path. Kubernetes requires both, since it
 * reads the object into a value without a type.
 *
 * @throws ApiError 400; 422 for another kind
 */
function checkCustomType(info: ResourceInfo, value: JsonValue, level: FieldValidation, bytes: Uint8Array): void {
  if (!isJsonObject(value)) return;
  const kind = stringOrEmpty(value['kind']);
  const apiVersion = stringOrEmpty(value['apiVersion']);
  if (kind === '' && level === 'Ignore') {
    const version = apiVersion === '' ? info.version : apiVersion.slice(apiVersion.indexOf('/') + 1);
    throw unhandledBody(
      { kind: info.kind, version },
      info.kind,
      missingKind(isLongValue(value) ? LONG_VALUE : jsonText(value)),
    );
  }
  if (kind === '') throw unrecognizedBody(info.kind, missingKind(decodeUtf8Lossy(bytes)), bytes);
  if (apiVersion !== info.apiVersion) throw otherVersion(info, apiVersion);
  if (kind === info.kind) return;
  const metadata = value['metadata'];
  const name = isJsonObject(metadata) ? stringOrEmpty(metadata['name']) : '';
  throw errors.invalid({ group: info.group, kind }, name, [invalid('kind', kind, `must be ${info.kind}`)]);
}

const missingKind = (body: string): string => `Object 'Kind' is missing in '${shownText(body)}'`;

const otherVersion = (info: ResourceInfo, apiVersion: string): ApiError =>
  errors.badRequest(
    `the API version in the data (${shownText(apiVersion)}) does not match the expected API version (${info.apiVersion})`,
  );

/** Checks that a body has the kind and version of its path; both may be absent. */
function checkType(info: ResourceInfo, value: JsonValue): void {
  if (!isJsonObject(value)) return;
  const kind = stringOrEmpty(value['kind']) || info.kind;
  const apiVersion = stringOrEmpty(value['apiVersion']) || info.apiVersion;
  if (kind === info.kind && apiVersion === info.apiVersion) return;
  const version = apiVersion.includes('/') ? apiVersion.slice(apiVersion.indexOf('/') + 1) : apiVersion;
  if (kind === info.kind && version === info.version) throw otherVersion(info, apiVersion);
  const why =
    kind === info.kind
      ? notRegistered(kind, apiVersion)
      : `converting (${shownText(kind)}) to (${info.kind}): unknown conversion`;
  throw unhandledBody({ kind, version }, info.kind, why);
}

/**
 * Applies a kind's schema to a decoded body and returns the object for the registry. Unknown and duplicate fields are
 * dropped, reported as warnings, or refused, by level.
 *
 * @throws ApiError 400; a promise, which only problems of a long body need, rejects with it
 */
export function objectOf(
  operations: ResourceOperations,
  context: RequestContext,
  { document, serializer, bytes }: ReadBody,
  level: FieldValidation,
): ApiObject | Promise<ApiObject> {
  const { info } = operations.store;
  if (isCustom(info)) checkCustomType(info, document.value, level, bytes);
  else checkType(info, document.value);
  const { value, asWritten } = operations.typedValue(document);
  const refuse = (error: unknown): never => {
    if (error instanceof ApiError || !(error instanceof DecodeTypeError)) throw error;
    throw unhandledBody(info, info.kind, error.message);
  };
  try {
    const reading = operations.read(value, context, { asWritten });
    if (!(reading instanceof Promise)) return reported(info, context, { document, serializer }, level, reading);
    return reading.then((read) => reported(info, context, { document, serializer }, level, read), refuse);
  } catch (error) {
    return refuse(error);
  }
}

/** Returns an object that was read from a body, after its unknown and duplicate fields are reported. @throws ApiError 400 */
function reported(
  info: ResourceInfo,
  context: RequestContext,
  { document, serializer }: Pick<ReadBody, 'document' | 'serializer'>,
  level: FieldValidation,
  { object, unknownFields }: ReadAnObject,
): ApiObject | Promise<ApiObject> {
  const { duplicates, duplicateForm } = document;
  if (unknownFields.length === 0 && duplicates.length === 0) return object;
  const sortUnknown = serializer.mediaType.endsWith('yaml');
  const problems = {
    duplicates,
    duplicateForm,
    unknownFields: sortUnknown ? [...unknownFields].sort() : unknownFields,
    // Kubernetes decodes custom resources and YAML bodies through a map, which loses the order of the fields.
    text: sortUnknown || info.definition.origin !== 'builtin' ? undefined : document.text,
  };
  const work = workOf(context);
  return whenReady(inSlices(work, strictSteps(work, problems, level, info), 'decode'), (outcome) => {
    reportStrict(outcome, context);
    return object;
  });
}
