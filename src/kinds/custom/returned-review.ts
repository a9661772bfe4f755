/**
 * Reviews that webhooks return whose addresses are in API objects, read as Kubernetes's client reads them.
 *
 * @module
 */
import {
  ANSWER_BYTES_TO_DECODE,
  ApiError,
  decodeUtf8Lossy,
  goQuote,
  isJsonObject,
  messageOf,
  parseApiVersion,
  reviewVersions,
  type DecodeAnswer,
  type JsonObject,
  type JsonValue,
  type OutboundResponse,
  type ReviewVersion,
  type Work,
} from '../../foundation/index.js';
import { jsonTypeName } from '../../machinery/index.js';

/** The kind and version of a review. */
export interface ReviewType {
  readonly kind: string;
  readonly group: string;
  readonly version: ReviewVersion;
}

/** How the review in a response is read. */
export interface ReviewReading {
  readonly decode: DecodeAnswer;
  /** The work that has reserved the memory of the response. */
  readonly work: Work;
}

/**
 * Returns the review in a response. Its kind may be missing.
 *
 * @throws Error for a body that is not an object, or an object of another kind; ApiError what the work throws
 */
export async function reviewIn(
  { status, header, body }: OutboundResponse,
  expected: ReviewType,
  { decode, work }: ReviewReading,
): Promise<JsonObject> {
  if (body.length === 0) {
    const contentType = header('content-type') ?? 'application/json';
    throw new Error(`0-length response with status code: ${status} and content type: ${contentType}`);
  }
  const first = firstCharacter(body);
  if (first !== '{') throw new Error(PARSE_ERROR + notAnObject(first));
  work.release(body.length * ANSWER_BYTES_TO_DECODE);
  const value = await decode(body, work).catch((error: unknown) => {
    if (error instanceof ApiError) throw error;
    throw new Error(PARSE_ERROR + messageOf(error), { cause: error });
  });
  if (!isJsonObject(value)) throw new Error('the response is not an object');
  refuseOtherKinds(value, expected);
  return value;
}

const PARSE_ERROR = "couldn't get version/kind; json parse error: ";

/** Returns the first character that is not white space; empty for none. */
function firstCharacter(body: Uint8Array): string {
  const start = body.findIndex((byte) => byte !== 0x20 && (byte < 0x09 || byte > 0x0d));
  return start < 0 ? '' : decodeUtf8Lossy(body.subarray(start, start + 4)).charAt(0);
}

/** Kubernetes decodes such a text as YAML, into a struct of the two fields that it needs first. */
function notAnObject(first: string): string {
  const struct = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;
  const kind = first === '[' ? 'array' : 'string';
  return `json: cannot unmarshal ${kind} into Go value of type ${struct}`;
}

/** Refuses objects of other kinds. A missing kind or apiVersion counts as the expected one at this point. */
export function refuseOtherKinds(review: JsonObject, { kind: wanted, group, version }: ReviewType): void {
  const kind = reviewString(review, 'kind', `${wanted}.kind`, 'string') || wanted;
  const apiVersion = reviewString(review, 'apiVersion', `${wanted}.apiVersion`, 'string') || `${group}/${version}`;
  if (kind === wanted && apiVersion === `${group}/${version}`) return;
  const other = parseApiVersion(apiVersion);
  const isReview = kind === wanted && other?.group === group && reviewVersions.some((known) => known === other.version);
  if (isReview || (kind === 'Status' && apiVersion === 'v1'))
    throw new Error(`converting (${other?.version ?? ''}.${kind}) to (${version}.${wanted}): unknown conversion`);
  throw new Error(`no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}`);
}

/** Requires that a review names its kind, as version v1 of the reviews does. @throws Error when it does not */
export function requireReviewType(review: JsonObject, { kind, group, version }: ReviewType): void {
  const apiVersion = reviewString(review, 'apiVersion', `${kind}.apiVersion`, 'string');
  const found = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${reviewString(review, 'kind', `${kind}.kind`, 'string')}`;
  const expected = `${group}/${version}, Kind=${kind}`;
  if (found !== expected) throw new Error(`expected webhook response of ${expected}, got ${found}`);
}

/** Returns a member of a type; undefined when it is absent or null. @throws Error in the words of Go for other types */
export function reviewMember<Value extends JsonValue>(
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

/** Returns a text; an absent one is empty. @throws Error in the words of Go for other types */
export const reviewString = (object: JsonObject, name: string, field: string, goType: string): string =>
  reviewMember(object, name, field, goType, isText) ?? '';

/** Returns Go's message for a value of the wrong type. */
export function unmarshalText(value: JsonValue, field: string, goType: string): string {
  return `json: cannot unmarshal ${jsonTypeName(value)} into Go struct field ${field} of type ${goType}`;
}
