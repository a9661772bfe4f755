/**
 * The sessions of the page: `POST /ui/v1/session` begins one with a token, the code of a link, or what an OpenID provider
 * has answered; `DELETE` ends it, and a request with the key of one is sent on with its token.
 *
 * A session has two halves: a cookie, which holds the user's token, encrypted, and a key, which only the page has. Each
 * request is authenticated by the token again, so a session ends with it.
 *
 * @module
 */
import { isJsonObject, type JsonObject } from '../../foundation/index.js';
import type { ApiRequest, ApiResponse, Handler } from '../../server/index.js';
import type { PageOptions } from '../options.js';
import { INFO_PATH, OIDC_PATH } from '../serving/page-path.js';
import { cookieIn, endedCookie, endedForRoom, keptCookie, LONGEST_COOKIE, SESSIONS } from './cookies.js';
import { KEY_FIELD } from './key-field.js';
import { isForeign } from './origin.js';
import type { PageHost } from './page-host.js';
import { ProviderSignIn } from './provider-sign-in.js';
import { idOf, newKey, seal, unseal } from './sealed.js';
import { answer, ANSWER_HEADERS, bodyIn, jsonIn, refusal } from './session-answers.js';
import { readAs, withToken } from './with-token.js';

/** How long a session lasts. */
const SESSION_MS = 8 * 60 * 60_000;

/** The token of somebody who begins a session, or the answer that refuses it. */
type Proof = { readonly token: string; readonly setCookie?: string | undefined } | { readonly refused: ApiResponse };

/** Answers requests for sessions, and requests with one. */
export class Sessions {
  readonly #host: PageHost;
  readonly #handle: Handler;
  readonly #options: PageOptions;
  readonly #provider: ProviderSignIn;

  /** @param handle the handler of the server */
  constructor(host: PageHost, handle: Handler, options: PageOptions) {
    this.#host = host;
    this.#handle = handle;
    this.#options = options;
    this.#provider = new ProviderSignIn(host, options.openIdConnect);
  }

  /** Answers a request to begin or to end a session, or to sign in by the provider. */
  async answer(request: ApiRequest): Promise<ApiResponse> {
    if (isForeign(request)) return refusal(403, 'Forbidden', 'a page of another origin cannot begin or end a session');
    const { method, path } = request;
    if (path === OIDC_PATH) {
      if (method !== 'POST')
        return refusal(405, 'MethodNotAllowed', 'POST begins a sign-in by the OpenID provider', { allow: 'POST' });
      const read = await bodyIn(request);
      return 'refused' in read ? read.refused : this.#provider.begin(request, read.body);
    }
    if (method === 'POST') return this.#begin(request);
    if (method === 'DELETE') return this.#end(request);
    return refusal(405, 'MethodNotAllowed', 'POST begins a session, DELETE ends it', { allow: 'POST, DELETE' });
  }

  /** Answers a request with the key of a session: as its user. */
  async forward(request: ApiRequest, key: string): Promise<ApiResponse> {
    if (isForeign(request)) return refusal(403, 'Forbidden', 'a page of another origin cannot use a session');
    const cookie = cookieIn(SESSIONS, request.headers.get('cookie'), await idOf(key), request.peer.tls);
    const { token, expires } = (cookie === undefined ? undefined : await unseal(key, cookie)) ?? {};
    if (typeof token !== 'string' || typeof expires !== 'number')
      return refusal(401, 'Unauthorized', 'the session is not known: sign in again');
    if (this.#ends(expires)) return refusal(401, 'Unauthorized', 'the session has ended: sign in again');
    return this.#handle(withToken(request, token));
  }

  /** Whoever uses a test server advances its time: there, a session ends when the browser drops the cookie. */
  #ends(expires: number): boolean {
    return this.#options.test === undefined && this.#host.clock().now() >= expires;
  }

  /**
   * Adds the offers of this listener to an answer of {@link INFO_PATH}. If the server refuses requests without credentials,
   * the answer still says how to sign in.
   */
  describe(request: ApiRequest, response: ApiResponse): ApiResponse {
    const hasCredentials = [KEY_FIELD, 'authorization'].some((name) => request.headers.get(name) !== undefined);
    const info =
      response.status === 401 && !hasCredentials ? {} : response.status === 200 ? jsonIn(response) : undefined;
    if (info === undefined || request.method !== 'GET') return response;
    const { offers } = this.#provider;
    const [first] = offers;
    const known = isJsonObject(info['signIn']) ? info['signIn'] : { token: true, certificate: request.peer.tls };
    const signIn = {
      ...known,
      ...(first === undefined ? {} : { oidc: { name: first.name, ...(offers.length > 1 ? { issuers: offers } : {}) } }),
    };
    const { readOnly = false, test } = this.#options;
    return answer(200, { ...info, signIn, readOnly, test: test !== undefined });
  }

  async #begin(request: ApiRequest): Promise<ApiResponse> {
    const read = await bodyIn(request);
    if ('refused' in read) return read.refused;
    const proof = await this.#proofIn(request, read.body);
    if ('refused' in proof) return proof.refused;
    const { token, setCookie } = proof;
    const { tls } = request.peer;
    const known = await this.#handle(readAs(request, INFO_PATH, token));
    if (known.status === 401) return withCookie({ status: 401, headers: ANSWER_HEADERS, body: known.body }, setCookie);
    const expires = this.#host.clock().now() + SESSION_MS;
    const randomBytes = (length: number): Uint8Array => this.#host.randomBytes(length);
    const key = newKey(randomBytes);
    const id = (await idOf(key)) ?? '';
    const kept = keptCookie(SESSIONS, id, await seal(key, { token, expires }, randomBytes), tls, SESSION_MS / 1000);
    if (kept.length > LONGEST_COOKIE) return withCookie(refusal(413, 'RequestEntityTooLarge', TOO_LONG), setCookie);
    const ended = endedForRoom(SESSIONS, request.headers.get('cookie'), tls, kept);
    const cookies = [...ended, ...(setCookie === undefined ? [] : [setCookie]), kept];
    return answer(201, { key, user: userIn(known), expires }, { 'set-cookie': cookies });
  }

  /** Returns the token that a body contains, or that the code of a link or the answer of the provider stands for. */
  async #proofIn(request: ApiRequest, { token, code, oidc }: JsonObject): Promise<Proof> {
    if (isJsonObject(oidc)) return this.#provider.finish(request, oidc);
    if (typeof code === 'string') {
      const owner = this.#host.redeem(code);
      return owner === undefined ? { refused: refusal(401, 'Unauthorized', USED_LINK) } : { token: owner };
    }
    if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return { token };
    return { refused: refusal(400, 'BadRequest', 'the body needs a token, or the code of a link') };
  }

  async #end(request: ApiRequest): Promise<ApiResponse> {
    const id = await idOf(request.headers.get(KEY_FIELD) ?? '');
    if (id === undefined) return refusal(401, 'Unauthorized', 'the key of the session is needed');
    return answer(200, {}, { 'set-cookie': endedCookie(SESSIONS, id, request.peer.tls) });
  }
}

const USED_LINK = 'the code of the link is not valid: it was used already, or is too old';
const TOO_LONG = 'the token is longer than browsers keep in a cookie: use it without remembering it';

const withCookie = (response: ApiResponse, setCookie: string | undefined): ApiResponse =>
  setCookie === undefined ? response : { ...response, headers: { ...response.headers, 'set-cookie': setCookie } };

/** Returns the user of an answer of the endpoint that tells it; null when the answer does not. */
function userIn(response: ApiResponse): string | null {
  const user = response.status === 200 ? jsonIn(response)?.['user'] : undefined;
  const name = isJsonObject(user) ? user['username'] : undefined;
  return typeof name === 'string' ? name : null;
}
