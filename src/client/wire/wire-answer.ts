/**
 * The answers of HTTP requests, as calls return them.
 *
 * @module
 */
import {
  ApiError,
  concatBytes,
  decodeUtf8Lossy,
  definedOnly,
  isJsonObject,
  parsedJson,
  loading,
  reasonOfCode,
  type JsonObject,
  type JsonValue,
  type OutboundStream,
} from '../../foundation/index.js';
import { importServerError } from '../../foundation/late.js';

/** Decodes a JSON text; a long one may be decoded in several turns. @throws SyntaxError */
export type DecodeText = (text: string) => JsonValue | Promise<JsonValue>;

/** Maximum size of a response that is not a stream, in bytes: longer ones do not fit into a string. */
const MAX_BYTES = 480 * 1024 * 1024;
/** Maximum size of the response of a failure, in bytes. */
const MAX_FAILURE_BYTES = 4 * 1024 * 1024;

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Returns the object of a response. @throws ApiError for a failure; Error for a response that is not a JSON object */
export async function objectOf(response: OutboundStream, decode: DecodeText): Promise<JsonObject> {
  if (!isSuccess(response.status)) throw await failureOf(response);
  const value = await decode(decodeUtf8Lossy(await bytesOf(response, MAX_BYTES)));
  if (!isJsonObject(value)) throw new Error('the response is not a JSON object');
  return value;
}

/** Returns the error that a response describes. */
export async function failureOf(response: OutboundStream): Promise<ApiError> {
  const { status, header } = response;
  const body = await bytesOf(response, MAX_FAILURE_BYTES);
  const retryAfterSeconds = retryAfter(response);
  const value = parsedJson(decodeUtf8Lossy(body));
  if (isJsonObject(value) && value['kind'] === 'Status') return waiting(ApiError.fromStatus(value, status), response);
  // A proxy has answered, or a server of something else.
  const { serverErrorText } = await loading(importServerError());
  return new ApiError({
    ...definedOnly({ reason: reasonOfCode(status), message: serverErrorText({ status, header, body }) }),
    details: definedOnly({ retryAfterSeconds }),
    code: status,
  });
}

/** Adds the time of the header to an error that has none. */
function waiting(error: ApiError, response: OutboundStream): ApiError {
  const retryAfterSeconds = retryAfter(response);
  const { details } = error.status;
  if (retryAfterSeconds === undefined || details?.retryAfterSeconds !== undefined) return error;
  return new ApiError({ ...error.status, details: { ...details, retryAfterSeconds } });
}

/** Returns the seconds after which a refused request may be sent again; undefined without them. */
export function retryAfter({ header }: Pick<OutboundStream, 'header'>): number | undefined {
  const value = header('retry-after') ?? '';
  return /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

async function bytesOf({ body }: OutboundStream, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`the response is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return concatBytes(chunks);
}

const WARNING = /\b299 [^ ]+ "((?:[^"\\]|\\.)*)"/g;

/** Returns the texts of the header `Warning` (RFC 7234 section 5.5). */
export function warningsOf({ header }: OutboundStream): string[] {
  const value = header('warning');
  if (value === undefined) return [];
  return [...value.matchAll(WARNING)].map(([, text = '']) => utf8Of(text.replace(/\\(.)/g, '$1')));
}

/** Decodes a header field, in which each character is a byte. */
function utf8Of(text: string): string {
  for (const character of text) if (character > '\u00ff') return text;
  return decodeUtf8Lossy(Uint8Array.from(text, (character) => character.charCodeAt(0)));
}

/** Fills in the type of the objects of a list, which a server may leave out. */
export function withTypes(list: JsonObject, type: { readonly apiVersion: string; readonly kind: string }): JsonObject {
  const { items } = list;
  if (!Array.isArray(items)) return { ...list, items: [] };
  const typed = items.map((item: JsonValue) =>
    isJsonObject(item) && item['kind'] === undefined ? { ...type, ...item } : item,
  );
  return { ...list, items: typed };
}
