/**
 * The sessions of the page: `POST /ui/v1/session` begins one with a token or the code of a link, `DELETE` ends it, and a
 * request with the key of one is sent on with its token.
 *
 * @module
 */
import { decodeUtf8Lossy, isJsonObject, jsonText, parsedJson, type JsonObject } from '../../foundation/index.js';
import { BodyTooLargeError, type ApiRequest, type ApiResponse, type Handler } from '../../server/index.js';
import { pageHeaders } from '../serving/headers.js';
import { endedCookie, keptCookie, sessionCookie, surplusSessions } from './cookies.js';
import { isForeign } from './origin.js';
import type { PageHost } from './page-host.js';
import { idOf, newKey, seal, unseal } from './sealed-token.js';
import { KEY_FIELD } from './key-field.js';
import { readAs, withToken } from './with-token.js';

/** How long a session lasts. The page begins another one with the same token before the end. */
const SESSION_MS = 8 * 60 * 60_000;
/** Longest body, in bytes: a token is a few kilobytes. */
const LONGEST_BODY = 64 * 1024;
/** The endpoint that tells who is signed in. */
const INFO = '/ui/v1/info';

/** Answers requests for sessions, and requests with one. */
export class Sessions {
  readonly #host: PageHost;
  readonly #handle: Handler;

  /** @param handle the handler of the server */
  constructor(host: PageHost, handle: Handler) {
    this.#host = host;
    this.#handle = handle;
  }

  /** Answers a request to begin or to end a session. */
  async answer(request: ApiRequest): Promise<ApiResponse> {
    if (isForeign(request)) return refusal(403, 'Forbidden', 'a page of another origin cannot begin or end a session');
    if (request.method === 'POST') return this.#begin(request);
    if (request.method === 'DELETE') return this.#end(request);
    return refusal(405, 'MethodNotAllowed', 'POST begins a session, DELETE ends it', { allow: 'POST, DELETE' });
  }

  /** Answers a request with the key of a session: as its user. */
  async forward(request: ApiRequest, key: string): Promise<ApiResponse> {
    if (isForeign(request)) return refusal(403, 'Forbidden', 'a page of another origin cannot use a session');
    const id = await idOf(key);
    const cookie = id === undefined ? undefined : sessionCookie(request.headers.get('cookie'), id, request.peer.tls);
    const sealed = cookie === undefined ? undefined : await unseal(key, cookie);
    if (sealed === undefined) return refusal(401, 'Unauthorized', 'the session is not known: sign in again');
    if (this.#host.now() >= sealed.expires) return refusal(401, 'Unauthorized', 'the session has ended: sign in again');
    return this.#handle(withToken(request, sealed.token));
  }

  async #begin(request: ApiRequest): Promise<ApiResponse> {
    const read = await bodyIn(request);
    if ('refused' in read) return read.refused;
    const token = this.#tokenIn(read.body);
    if (token === undefined)
      return refusal(401, 'Unauthorized', 'the code of the link is not valid: it was used already, or is too old');
    if (token === '') return refusal(400, 'BadRequest', 'the body needs a token, or the code of a link');
    const known = await this.#handle(readAs(request, INFO, token));
    if (known.status === 401) return { status: 401, headers: ANSWER_HEADERS, body: known.body };
    const now = this.#host.now();
    const expires = now + SESSION_MS;
    const randomBytes = (length: number): Uint8Array => this.#host.randomBytes(length);
    const key = newKey(randomBytes);
    const id = (await idOf(key)) ?? '';
    const { tls } = request.peer;
    const kept = keptCookie(id, await seal(key, { token, expires }, randomBytes), tls, SESSION_MS / 1000);
    const ended = surplusSessions(request.headers.get('cookie'), tls).map((old) => endedCookie(old, tls));
    return answer(201, { key, user: userIn(known), expires }, { 'set-cookie': [...ended, kept] });
  }

  /** Returns the token of a body, or that of the owner for the code of a link; undefined for a code that is not valid. */
  #tokenIn({ token, code }: JsonObject): string | undefined {
    if (typeof code === 'string') return this.#host.redeem(code);
    return typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) ? token : '';
  }

  async #end(request: ApiRequest): Promise<ApiResponse> {
    const id = await idOf(request.headers.get(KEY_FIELD) ?? '');
    if (id === undefined) return refusal(401, 'Unauthorized', 'the key of the session is needed');
    return answer(200, {}, { 'set-cookie': endedCookie(id, request.peer.tls) });
  }
}

/** Reads the body of a request, which must be a JSON object; otherwise returns the answer. */
async function bodyIn(request: ApiRequest): Promise<{ readonly body: JsonObject } | { readonly refused: ApiResponse }> {
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

/** Returns the user of an answer of the endpoint that tells it; null when the answer does not. */
function userIn({ status, body }: ApiResponse): string | null {
  if (status !== 200 || typeof body !== 'string') return null;
  const value = parsedJson(body);
  const user = isJsonObject(value) ? value['user'] : undefined;
  const name = isJsonObject(user) ? user['username'] : undefined;
  return typeof name === 'string' ? name : null;
}

const ANSWER_HEADERS = pageHeaders({ 'content-type': 'application/json', 'cache-control': 'no-store' });

function answer(
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
  fields: Readonly<Record<string, string>> = {},
): ApiResponse =>
  answer(code, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code }, fields);
