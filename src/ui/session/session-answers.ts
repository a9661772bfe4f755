import { decodeUtf8Lossy, isJsonObject, jsonText, parsedJson, type JsonObject } from '../../foundation/index.js';
import { BodyTooLargeError, type ApiRequest, type ApiResponse } from '../../server/index.js';
import { pageHeaders } from '../serving/headers.js';

/** Longest body, in bytes: a token is a few kilobytes. */
const LONGEST_BODY = 64 * 1024;

/** Header fields of an answer. */
export const ANSWER_HEADERS = pageHeaders({ 'content-type': 'application/json', 'cache-control': 'no-store' });

/** Returns an answer of JSON. */
export function answer(
  status: number,
  value: object,
  fields: Readonly<Record<string, string | readonly string[]>> = {},
): ApiResponse {
  return { status, headers: { ...ANSWER_HEADERS, ...fields }, body: `${jsonText(value)}\n` };
}

/** Returns a Status, as the API answers a request that fails. */
export const refusal = (
  code: number,
  reason: string,
  message: string,
  fields: Readonly<Record<string, string | readonly string[]>> = {},
): ApiResponse =>
  answer(code, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code }, fields);

/** Reads the body of a request, which must be a JSON object; otherwise returns the answer. */
export async function bodyIn(
  request: ApiRequest,
): Promise<{ readonly body: JsonObject } | { readonly refused: ApiResponse }> {
  const type = (request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    return { refused: refusal(415, 'UnsupportedMediaType', 'the body must be application/json') };
  try {
    const bytes = request.arrivedBody?.(LONGEST_BODY) ?? (await request.body(LONGEST_BODY));
    const body = parsedJson(decodeUtf8Lossy(bytes));
    return isJsonObject(body) ? { body } : { refused: refusal(400, 'BadRequest', 'the body must be a JSON object') };
  } catch (error) {
    if (!(error instanceof BodyTooLargeError)) throw error;
    return { refused: refusal(413, 'RequestEntityTooLarge', error.message) };
  }
}

/** Returns the JSON object of an answer; undefined for another one. */
export function jsonIn({ body }: ApiResponse): JsonObject | undefined {
  const value = typeof body === 'string' ? parsedJson(body) : undefined;
  return isJsonObject(value) ? value : undefined;
}
