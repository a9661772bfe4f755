import {
  ApiError,
  errors,
  isJsonObject,
  parsedJson,
  decodeUtf8Lossy,
  jsonText,
  shareTurn,
  type JsonObject,
} from '../../foundation/index.js';
import { readBody, type ApiResponse, type RequestScope } from '../../server/index.js';
import type { Recorders } from './recorders.js';
import type { PageParts } from './page-parts.js';

/** A request for an endpoint of the page. */
export interface PageCall {
  readonly scope: RequestScope;
  readonly parts: PageParts;
  readonly recorders: Recorders;
}

/** An endpoint of the page. */
export interface PageEndpoint {
  readonly method: 'GET' | 'POST';
  /** Answers a request that has been authorized. @throws ApiError */
  readonly answer: (call: PageCall) => ApiResponse | Promise<ApiResponse>;
}

/** Longest body of an endpoint, in bytes. */
const LONGEST_BODY = 64 * 1024;

/** Items of a list that are encoded between two looks at the time. */
const STEPS = 32;

/** Returns an answer of JSON. */
export const jsonAnswer = (value: object): ApiResponse => textAnswer(jsonText(value));

/** Returns an answer of JSON with one list, which is encoded in steps. */
export async function listAnswer(name: string, items: readonly object[]): Promise<ApiResponse> {
  const parts: string[] = [];
  for (const [index, item] of items.entries()) {
    if (index % STEPS === 0) await shareTurn();
    parts.push(jsonText(item));
  }
  return textAnswer(`{${jsonText(name)}:[${parts.join(',')}]}`);
}

const textAnswer = (text: string): ApiResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: `${text}\n`,
});

/** Reads the body of a request. @throws ApiError 400 unless it is a JSON object, 413, 415 */
export async function bodyOf({ scope }: PageCall): Promise<JsonObject> {
  const type = (scope.request.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  // A page of another origin cannot send this type without asking first.
  if (type !== 'application/json')
    throw new ApiError({ code: 415, reason: 'UnsupportedMediaType', message: 'the body must be application/json' });
  const body = parsedJson(decodeUtf8Lossy(await readBody(scope, LONGEST_BODY)));
  if (!isJsonObject(body)) throw errors.badRequest('the body must be a JSON object');
  return body;
}

/** Returns a string of a body; undefined when it is absent. @throws ApiError 400 for another value */
export function textIn(body: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw errors.badRequest(`${name} must be a string`);
}

/** Returns a string of a body that must be there. @throws ApiError 400 */
export function neededIn(body: JsonObject, name: string): string {
  const text = textIn(body, name) ?? '';
  if (text === '') throw errors.badRequest(`${name} is needed`);
  return text;
}

/** Returns a list of strings of a body; empty when it is absent. @throws ApiError 400 for another value, or more than `most` */
export function textsIn(body: JsonObject, name: string, most: number): string[] {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw errors.badRequest(`${name} must be a list of strings`);
  if (value.length > most) throw errors.badRequest(`${name} has ${value.length} items: at most ${most}`);
  return value.map((item) => {
    if (typeof item === 'string') return item;
    throw errors.badRequest(`${name} must be a list of strings`);
  });
}

/** Returns a whole number of the query. @throws ApiError 400 for another text, and outside of its bounds */
export function numberIn({ query }: RequestScope, name: string, bounds: NumberBounds): number {
  const text = query.get(name);
  if (text === null) return bounds.otherwise;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (value >= bounds.least && value <= bounds.most) return value;
  throw errors.badRequest(`${name} must be a whole number from ${bounds.least} to ${bounds.most}`);
}

/** The bounds of a number of the query. */
export interface NumberBounds {
  readonly least: number;
  readonly most: number;
  /** The number when the query has none. */
  readonly otherwise: number;
}
