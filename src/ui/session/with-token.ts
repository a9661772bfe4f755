import type { ApiRequest, RequestHeaders } from '../../server/index.js';
import { KEY_FIELD } from './key-field.js';

/** Header fields with another token, and without the halves of a session. */
class TokenHeaders implements RequestHeaders {
  readonly #inner: RequestHeaders;
  readonly #own: ReadonlyMap<string, string | undefined>;

  constructor(inner: RequestHeaders, own: ReadonlyMap<string, string | undefined>) {
    this.#inner = inner;
    this.#own = own;
  }

  get(name: string): string | undefined {
    return this.#own.has(name) ? this.#own.get(name) : this.#inner.get(name);
  }

  getAll(name: string): readonly string[] {
    if (!this.#own.has(name)) return this.#inner.getAll(name);
    const value = this.#own.get(name);
    return value === undefined ? [] : [value];
  }

  *names(): Generator<string, void, undefined> {
    for (const name of this.#inner.names()) if (!this.#own.has(name)) yield name;
    for (const [name, value] of this.#own) if (value !== undefined) yield name;
  }

  hasPrefix(prefix: string): boolean {
    return (
      this.#inner.hasPrefix(prefix) ||
      [...this.#own].some(([name, value]) => value !== undefined && name.startsWith(prefix))
    );
  }
}

/** A request as another user sends it. All but the header fields is that of the request itself. */
class TokenRequest implements ApiRequest {
  readonly #inner: ApiRequest;
  readonly headers: RequestHeaders;

  constructor(inner: ApiRequest, headers: RequestHeaders) {
    this.#inner = inner;
    this.headers = headers;
  }

  get method(): string {
    return this.#inner.method;
  }

  get path(): string {
    return this.#inner.path;
  }

  get query(): string {
    return this.#inner.query;
  }

  get peer(): ApiRequest['peer'] {
    return this.#inner.peer;
  }

  get signal(): AbortSignal {
    return this.#inner.signal;
  }

  get isGone(): boolean | undefined {
    return this.#inner.isGone;
  }

  get body(): ApiRequest['body'] {
    return (limit, onChunk) => this.#inner.body(limit, onChunk);
  }

  get arrivedBody(): ApiRequest['arrivedBody'] {
    return this.#inner.arrivedBody && ((limit) => this.#inner.arrivedBody?.(limit));
  }

  get whenAnswered(): ApiRequest['whenAnswered'] {
    return this.#inner.whenAnswered && ((done) => this.#inner.whenAnswered?.(done));
  }

  get breakOff(): ApiRequest['breakOff'] {
    return this.#inner.breakOff && (() => this.#inner.breakOff?.());
  }
}

/** Returns a request with a token in place of a session. */
export function withToken(request: ApiRequest, token: string): ApiRequest {
  const own = new Map([
    ['authorization', `Bearer ${token}`],
    ['cookie', undefined],
    [KEY_FIELD, undefined],
  ]);
  return new TokenRequest(request, new TokenHeaders(request.headers, own));
}

/** Returns a request for another path without a body, with a token. */
export function readAs(request: ApiRequest, path: string, token: string): ApiRequest {
  const { peer, signal } = request;
  return {
    ...{ method: 'GET', path, query: '', peer, signal },
    headers: withToken(request, token).headers,
    body: () => Promise.resolve(new Uint8Array()),
  };
}
