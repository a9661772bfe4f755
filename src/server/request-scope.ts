import type { AuthRequest } from '../authn/index.js';
import { WarningRecorder } from '../codec/index.js';
import type { UserInfo } from '../meta/object.js';
import { onAbort } from '../meta/on-abort.js';
import type { ApiRequest, ApiResponse, Peer, RequestHeaders } from './http.js';
import type { Place } from './in-flight.js';
import type { RequestInfo } from './request-info.js';

/** What is known about one request while it goes through the server. Filters fill it in. */
export class RequestScope implements AuthRequest {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  /** Whose request it is. Set by the authentication filter; nobody reads it before. Of an impersonation it is the impersonated user. */
  user: UserInfo = UNKNOWN;
  /** Who made the request as somebody else; undefined when nobody did. For audit: nothing is allowed by it. */
  impersonator: UserInfo | undefined;
  /** Its place among the requests that are worked on; undefined for one that no bound counts. */
  place: Place | undefined;
  #query: URLSearchParams | undefined;
  #ending: AbortController | undefined;
  #warnings: WarningRecorder | undefined;

  constructor(request: ApiRequest, info: RequestInfo) {
    this.request = request;
    this.info = info;
  }

  /** Decoded path. */
  get path(): string {
    return this.info.path;
  }

  /** Header fields of the request. */
  get headers(): RequestHeaders {
    return this.request.headers;
  }

  /** Who is on the other end of the connection. */
  get peer(): Peer {
    return this.request.peer;
  }

  /** Aborts when the client is gone, or the request is ended by {@link RequestScope.endable}. */
  get signal(): AbortSignal {
    return this.#ending?.signal ?? this.request.signal;
  }

  /** Lets the server end the request, as if the client were gone. Called before anybody waits for the signal. @returns what ends it */
  endable(): () => void {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    if (this.request.signal.aborted) end();
    else onAbort(this.request.signal, end);
    this.#ending = ending;
    return end;
  }

  /** Makes the request one of somebody else. */
  impersonate(user: UserInfo): void {
    this.impersonator ??= this.user;
    this.user = user;
  }

  /** Adds a `Warning` header to the answer; the same text is sent once. Bound, so that it can be handed around alone. */
  readonly warn = (text: string): void => {
    (this.#warnings ??= new WarningRecorder()).add(text);
  };

  /** Values of the `Warning` header; empty when there is nothing to warn of. */
  get warnings(): readonly string[] {
    return this.#warnings?.headers ?? NO_WARNINGS;
  }

  /** The query, parsed when first asked for. */
  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.request.query));
  }

  /** First word of the User-Agent up to a slash: the field manager of a request that names none. */
  get userAgent(): string {
    return this.request.headers.get('user-agent') ?? '';
  }
}

const NO_WARNINGS: readonly string[] = Object.freeze([]);

const UNKNOWN: UserInfo = Object.freeze({ username: '', groups: Object.freeze([]) });

/** Answers a request, or throws an ApiError. */
export type Endpoint = (scope: RequestScope) => Promise<ApiResponse>;

/** Wraps an endpoint in a concern that all requests share. */
export type Filter = (next: Endpoint) => Endpoint;

/** Puts filters around an endpoint; the first of the list is the outermost. */
export function compose(filters: readonly Filter[], endpoint: Endpoint): Endpoint {
  return filters.reduceRight((next, filter) => filter(next), endpoint);
}
