/**
 * The hook around requests: one function sees every request of a server, over HTTP and in process, and may delay it,
 * refuse it, answer it from a past state, or lose its connection. A server without the hook does no work for it.
 *
 * @module
 */
import { report, type JsonValue, type UserInfo } from '../../foundation/index.js';
import type { ServedResource, WatchNotice } from '../../registry/index.js';
import type { RequestFacts } from '../../security/index.js';
import type { Revision, Storage, StorageDecorator, StorageRecord } from '../../storage/index.js';

/**
 * The way by which a request came: `http` and `websocket` from a transport, `client` from an in-process client,
 * `controllers` from the server's own controllers, and `server` for the steps of another request, such as the delete of
 * an eviction.
 */
export type RequestOrigin = 'http' | 'websocket' | 'client' | 'controllers' | 'server';

/** A request whose user is known, before its authorization. */
export interface InterceptedRequest extends RequestFacts {
  readonly via: RequestOrigin;
  /** The user; the impersonated one in an impersonation. */
  readonly user: UserInfo;
  /** Query as sent, without the question mark; of an in-process client, the query that would have the same meaning. */
  readonly query: string;
  /** Media type of the body; empty without one. It tells an apply from other patches. */
  readonly contentType: string;
  /** User-Agent; of an in-process client, the name of its field manager. */
  readonly userAgent: string;
  /**
   * Reads the body, as a JSON value.
   *
   * @returns undefined for a request without a body, and for a body that cannot be decoded
   * @throws ApiError 413 when the body is too long
   */
  readonly body: () => Promise<JsonValue | undefined>;
}

/** The changes of an interceptor to a request. */
export interface RequestChange {
  /** The state that a get or list is answered from; default the current one. */
  readonly readAt?: Revision | undefined;
}

/** The answer of a request. */
export interface InterceptedAnswer {
  /** HTTP status code. */
  readonly code: number;
  /** Returns the answer as a JSON value that must not be changed; undefined for a stream and for other forms. */
  readonly body: () => JsonValue | undefined;
}

/** Continues a request. @throws ApiError as the request fails */
export type ContinueRequest = (change?: RequestChange) => Promise<InterceptedAnswer>;

/** The parts of its server that an interceptor may use. */
export interface InterceptedServer {
  readonly storage: Storage;
  /** Returns the kinds that the server serves. */
  readonly served: () => readonly ServedResource[];
  /**
   * Ends all work of the server at once without closing its storage, as when its process dies. Only `restart` and
   * `close` of the server may follow.
   */
  readonly halt: () => void;
}

/** Sees the requests of a server. What its functions throw ends the request, never the server. */
export interface RequestInterceptor {
  /**
   * Called for every request that has been authenticated. It calls `proceed` at most once; the client gets that answer
   * when the function has ended.
   *
   * @throws ApiError that becomes the answer; ConnectionLostError to end the connection without an answer
   */
  readonly request: (request: InterceptedRequest, proceed: ContinueRequest) => Promise<void>;
  /**
   * Puts behaviour above the storage engine of the server. Called before {@link attach}, and again when the server goes on
   * with another storage. A decorated storage can be forked only if the decorator passes `fork` on.
   */
  readonly storage?: StorageDecorator | undefined;
  /**
   * Called before the first request, and again when the server goes on with another storage. It must not throw.
   */
  readonly attach?: ((server: InterceptedServer) => void) | undefined;
  /** Called for every watch that has begun; returns the events that the client gets. */
  readonly watch?:
    | ((request: InterceptedRequest, events: AsyncIterableIterator<WatchNotice>) => AsyncIterableIterator<WatchNotice>)
    | undefined;
  /** Called when an informer or controllers of clients begin to follow the server; returns what they call at their end. */
  readonly opened?: ((what: string) => () => void) | undefined;
  /** Called for every write to the storage that a request has made, once the write is acknowledged. */
  readonly written?: ((request: InterceptedRequest, record: StorageRecord) => void) | undefined;
}

/** One request under an interceptor. */
export class Interception {
  readonly #interceptor: RequestInterceptor;
  readonly request: InterceptedRequest;
  /** The state that the request reads; undefined for the current one. */
  readAt: Revision | undefined;
  /** Returns the answer of an in-process call, which has no body. */
  answerBody: () => JsonValue | undefined = () => undefined;

  constructor(interceptor: RequestInterceptor, request: InterceptedRequest) {
    this.#interceptor = interceptor;
    this.request = request;
  }

  /**
   * Runs a request under the interceptor.
   *
   * @param viewOf returns the answer as the interceptor sees it
   * @throws what the interceptor throws; Error when it ends without an answer
   */
  async around<Answer>(run: () => Promise<Answer>, viewOf: (answer: Answer) => InterceptedAnswer): Promise<Answer> {
    let answered: { readonly answer: Answer } | undefined;
    await this.#interceptor.request(this.request, async (change) => {
      this.readAt = change?.readAt;
      const answer = await run();
      answered = { answer };
      return viewOf(answer);
    });
    if (answered === undefined)
      throw new Error('the interceptor ended without an answer: it must call proceed or throw');
    return answered.answer;
  }

  /** Sets the answer that the interceptor sees of an in-process call. */
  answered(body: () => JsonValue | undefined): void {
    this.answerBody = body;
  }

  /** Returns the events of a watch as its client gets them. */
  watch(events: AsyncIterableIterator<WatchNotice>): AsyncIterableIterator<WatchNotice> {
    return this.#interceptor.watch?.(this.request, events) ?? events;
  }

  /** Reports a write of the request. Bound, so that it can be passed as a function. */
  readonly written = (record: StorageRecord): void => {
    report(() => this.#interceptor.written?.(this.request, record));
  };
}
