/**
 * The review that a conversion webhook gets, and the checks of the one that it returns.
 *
 * @module
 */
import { decodeUtf8Lossy } from '../encoding/utf8.js';
import { goQuote } from '../meta/go-text.js';
import { isArray, isJsonObject, type JsonObject, type JsonValue } from '../meta/json.js';
import { parseApiVersion, type StoredObject } from '../meta/object.js';
import type { OutboundResponse } from '../outbound/http-client.js';
import { reviewVersions, type ReviewVersion } from '../outbound/review-versions.js';
import { goObjectError } from '../resources/shared/go-json.js';

/** A request for a conversion. */
export interface ConversionRequest {
  /** The group of the review. */
  readonly group: string;
  readonly version: ReviewVersion;
  readonly uid: string;
  readonly desiredApiVersion: string;
  readonly objects: readonly StoredObject[];
}

const KIND = 'ConversionReview';

/**
 * Returns the first supported version of a list.
 *
 * @throws Error when there is none
 */
export function reviewVersionOf(versions: readonly string[]): ReviewVersion {
  for (const version of versions) {
    const supported = reviewVersions.find((known) => known === version);
    if (supported !== undefined) return supported;
  }
  throw new Error('no supported conversion review versions');
}

/** Returns the text of a review, with the fields and their order as Kubernetes sends them. */
export function reviewText({ group, version, uid, desiredApiVersion, objects }: ConversionRequest): string {
  return `${JSON.stringify({
    kind: KIND,
    apiVersion: `${group}/${version}`,
    request: { uid, desiredAPIVersion: desiredApiVersion, objects },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  })}\n`;
}

/**
 * Returns the converted objects of a response, unchecked.
 *
 * @throws Error for a response that is no review of the request, or that reports a failure
 */
export function convertedObjects(
  response: OutboundResponse,
  { group, version, uid }: ConversionRequest,
): readonly JsonValue[] {
  const review = reviewIn(response);
  const expected = `${group}/${version}`;
  refuseOtherKinds(review, expected);
  const answer = member(review, 'response', 'ConversionReview.response', `${version}.ConversionResponse`, isJsonObject);
  const status = answer && resultOf(answer, version);
  const converted =
    (answer && member(answer, 'convertedObjects', `${PATH}.convertedObjects`, '[]runtime.RawExtension', isArray)) ?? [];
  const found = answer && textMember(answer, 'uid', `${PATH}.uid`, 'types.UID');
  if (version === 'v1') {
    const kind = typeText(review);
    if (kind !== `${expected}, Kind=${KIND}`)
      throw new Error(`expected webhook response of ${expected}, Kind=${KIND}, got ${kind}`);
  }
  if (answer === undefined || status === undefined) throw new Error('no response provided');
  if (version === 'v1' && found !== uid)
    throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(found ?? '')}`);
  if (status.status !== 'Success')
    throw new Error(
      status.message === '' ? `response.result.status was '${status.status}', not 'Success'` : status.message,
    );
  return converted;
}

const PATH = 'ConversionResponse.response';

function resultOf(answer: JsonObject, version: string): { readonly status: string; readonly message: string } {
  const result = member(answer, 'result', `${PATH}.result`, `${version}.Status`, isJsonObject) ?? {};
  return {
    status: textMember(result, 'status', 'Status.response.result.status', 'string'),
    message: textMember(result, 'message', 'Status.response.result.message', 'string'),
  };
}

/** Returns the object in the body of a response. @throws Error for a body that is not an object */
function reviewIn({ status, header, body }: OutboundResponse): JsonObject {
  if (body.length === 0) {
    const contentType = header('content-type') ?? 'application/json';
    throw new Error(`0-length response with status code: ${status} and content type: ${contentType}`);
  }
  const text = decodeUtf8Lossy(body);
  const isObject = text.trimStart().startsWith('{');
  const problem = isObject ? goObjectError(text) : notAnObject(text);
  if (problem !== undefined) throw new Error(`couldn't get version/kind; json parse error: ${problem}`);
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error('the response is not an object');
  return value;
}

/** Kubernetes decodes such a text as YAML, into a struct of the two fields that it needs first. */
function notAnObject(text: string): string {
  const struct = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;
  const first = text.trimStart().charAt(0);
  const kind = first === '[' ? 'array' : 'string';
  return `json: cannot unmarshal ${kind} into Go value of type ${struct}`;
}

/** Refuses objects of other kinds. A missing kind or apiVersion counts as the expected one at this point. */
function refuseOtherKinds(review: JsonObject, expected: string): void {
  const kind = textMember(review, 'kind', 'ConversionReview.kind', 'string') || KIND;
  const apiVersion = textMember(review, 'apiVersion', 'ConversionReview.apiVersion', 'string') || expected;
  if (kind === KIND && apiVersion === expected) return;
  const [group = '', version = ''] = expected.split('/');
  const other = parseApiVersion(apiVersion);
  const isReview = kind === KIND && other?.group === group && reviewVersions.some((known) => known === other.version);
  if (isReview || (kind === 'Status' && apiVersion === 'v1'))
    throw new Error(`converting (${other?.version ?? ''}.${kind}) to (${version}.${KIND}): unknown conversion`);
  throw new Error(`no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}`);
}

/** Formats the kind of a review as `group/version, Kind=kind`. */
function typeText(review: JsonObject): string {
  const apiVersion = textMember(review, 'apiVersion', 'ConversionReview.apiVersion', 'string');
  const kind = textMember(review, 'kind', 'ConversionReview.kind', 'string');
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** Returns a member of a type; undefined when it is absent or null. @throws Error in the words of Go for other types */
function member<Value extends JsonValue>(
  object: JsonObject,
  name: string,
  field: string,
  goType: string,
  has: (value: JsonValue | undefined) => value is Value,
): Value | undefined {
  const value = object[name] ?? null;
  if (value === null) return undefined;
  if (!has(value)) throw new Error(unmarshalText(value, field, goType));
  return value;
}

const isText = (value: JsonValue | undefined): value is string => typeof value === 'string';

const textMember = (object: JsonObject, name: string, field: string, goType: string): string =>
  member(object, name, field, goType, isText) ?? '';

/** Returns Go's message for a value of the wrong type. */
export function unmarshalText(value: JsonValue, field: string, goType: string): string {
  const kind = isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${kind} into Go struct field ${field} of type ${goType}`;
}
