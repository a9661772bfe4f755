import type { ApiRequest, RequestHeaders } from './http.js';

/** The members of a request that its receiver sees changed. */
export interface RequestChanges {
  readonly path?: string | undefined;
  readonly query?: string | undefined;
  readonly headers?: RequestHeaders | undefined;
}

/**
 * A request that is passed on with another path, query or other header fields. Everything else is read from the original when it
 * is asked for, since transports make some members late.
 */
export class ChangedRequest implements ApiRequest {
  readonly #original: ApiRequest;
  readonly #changes: RequestChanges;

  constructor(original: ApiRequest, changes: RequestChanges) {
    this.#original = original;
    this.#changes = changes;
  }

  get method(): string {
    return this.#original.method;
  }

  get path(): string {
    return this.#changes.path ?? this.#original.path;
  }

  get query(): string {
    return this.#changes.query ?? this.#original.query;
  }

  get headers(): RequestHeaders {
    return this.#changes.headers ?? this.#original.headers;
  }

  get peer(): ApiRequest['peer'] {
    return this.#original.peer;
  }

  get signal(): AbortSignal {
    return this.#original.signal;
  }

  get isGone(): boolean | undefined {
    return this.#original.isGone;
  }

  get body(): ApiRequest['body'] {
    return (limit, onChunk) => this.#original.body(limit, onChunk);
  }

  get arrivedBody(): ApiRequest['arrivedBody'] {
    return this.#original.arrivedBody && ((limit) => this.#original.arrivedBody?.(limit));
  }

  get whenAnswered(): ApiRequest['whenAnswered'] {
    return this.#original.whenAnswered && ((done) => this.#original.whenAnswered?.(done));
  }

  get breakOff(): ApiRequest['breakOff'] {
    return this.#original.breakOff && (() => this.#original.breakOff?.());
  }
}
