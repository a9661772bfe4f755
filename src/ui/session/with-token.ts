import { ChangedRequest, type ApiRequest, type RequestHeaders } from '../../server/index.js';
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

/** Returns a request with a token in place of a session. */
export function withToken(request: ApiRequest, token: string): ApiRequest {
  const own = new Map([
    ['authorization', `Bearer ${token}`],
    ['cookie', undefined],
    [KEY_FIELD, undefined],
  ]);
  return new ChangedRequest(request, { headers: new TokenHeaders(request.headers, own) });
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
