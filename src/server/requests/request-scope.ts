import { onAbort, type Clock, type TraceSpan, type UserInfo } from '../../foundation/index.js';
import type { WatchOptions, WebhookTimes } from '../../registry/index.js';
import type { AuthRequest, RequestAudit } from '../../security/index.js';
import { WarningRecorder } from '../codec/index.js';
import type { RequestFlow } from '../fairness/flow-control.js';
import type { FlowTicket } from '../fairness/queues/flow-ticket.js';
import type { FilterProgress } from '../filters/tracked.js';
import type { InFlightSlot } from '../limits/in-flight.js';
import type { Reservation } from '../limits/reservation.js';
import type { SlicedWork, WorkOwner } from '../limits/sliced-work.js';
import type { InitialState } from '../operations/initial-states.js';
import { parseListOptions } from '../operations/list-options.js';
import type { ApiRequest, ApiResponse, Peer, RequestHeaders } from './http.js';
import type { Interception } from './interception.js';
import type { RequestInfo } from './request-info.js';

/** The seat that a watch occupies until its initial events have been sent. */
export interface WatchSeat {
  /** Gives the seat up. */
  initialized(): void;
  /** Also no longer counts the watch. */
  ended(): void;
}

/** State of one request on its way through the server. Filters fill it in. */
export class RequestScope implements AuthRequest, FilterProgress, WebhookTimes, WorkOwner {
  readonly request: ApiRequest;
  readonly info: RequestInfo;
  /**
   * The user of the request; the impersonated user in an impersonation. Set by the authentication filter and not read
   * before.
   */
  user: UserInfo = UNKNOWN;
  /** The user who impersonates another; undefined without impersonation. For audit only: it grants no access. */
  impersonator: UserInfo | undefined;
  /** Its slot among the requests in flight; undefined for a request without a limit. */
  slot: InFlightSlot | undefined;
  /** Its place at its priority level; undefined without a flow control, and for a watch or a connection. */
  ticket: FlowTicket | undefined;
  /** The seat of a watch; undefined without a flow control. */
  watchSeat: WatchSeat | undefined;
  /** Its flow; undefined without a flow control, and before the filter that classifies it. */
  flow: RequestFlow | undefined;
  /** The place of a watch among those of its user that send their initial state; undefined before the filter that counts it. */
  initialState: InitialState | undefined;
  /** Header fields that tell its flow; undefined without a flow control, and before the filter that classifies it. */
  flowHeaders: Readonly<Record<string, string>> | undefined;
  /** Its time limit, in milliseconds; undefined for a watch or a connection, and before the filter that sets it. */
  timeoutMs: number | undefined;
  /** Its memory; undefined before the filter that counts it, and before a WebSocket is opened. */
  reservation: Reservation | undefined;
  /** Its work; undefined before the filter that follows that of its flow. */
  work: SlicedWork | undefined;
  readonly #clock: Pick<Clock, 'now'>;
  /** The request under the server's interceptor; undefined without one, and before its filter. */
  interception: Interception | undefined;
  /** The body, once it is read; kept only for an interceptor. */
  bodyRead: Promise<Uint8Array> | undefined;
  /** Its id in responses, logs and audit events. */
  auditId = '';
  /** Time of its arrival, in milliseconds since the epoch. */
  receivedMs = 0;
  momentMs = 0;
  /** Its audit events; undefined before the audit filter, and for a request that is not recorded. */
  audit: RequestAudit | undefined;
  /** The current step of the request; undefined for one that is not traced. */
  span: TraceSpan | undefined;
  filterSpan: TraceSpan | undefined;
  filterBeganMs = 0;
  mutatingWebhooksMs = 0;
  validatingWebhooksMs = 0;
  /** Time that the request waited in a queue of requests, in milliseconds. */
  queuedMs = 0;
  /** Whether the audit policy has decided about it. */
  isAuditDecided = false;
  /** Annotations of authentication, which the audit filter adds to its events. */
  annotations: Map<string, string> | undefined;
  #query: URLSearchParams | undefined;
  #listOptions: Outcome<WatchOptions> | undefined;
  #controller: AbortController | undefined;
  #warnings: WarningRecorder | undefined;

  constructor(request: ApiRequest, info: RequestInfo, clock: Pick<Clock, 'now'>) {
    this.request = request;
    this.info = info;
    this.#clock = clock;
  }

  /** The decoded path. */
  get path(): string {
    return this.info.path;
  }

  /** Header fields of the request. */
  get headers(): RequestHeaders {
    return this.request.headers;
  }

  /** The remote end of the connection. */
  get peer(): Peer {
    return this.request.peer;
  }

  /** Aborts when the client disconnects, or when the function that {@link RequestScope.abortable} returns is called. */
  get signal(): AbortSignal {
    return this.#controller?.signal ?? this.request.signal;
  }

  /**
   * Lets the server abort the request as if the client had disconnected. Must be called before the signal is used.
   *
   * @returns a function that aborts the request
   */
  abortable(): () => void {
    const controller = new AbortController();
    const { signal } = this.request;
    const follow = (): void => controller.abort(signal.reason);
    if (signal.aborted) follow();
    else onAbort(signal, follow);
    this.#controller = controller;
    return () => controller.abort();
  }

  /** Its long work shares the processor: others need not wait for its seats. */
  takesSlices(): void {
    this.ticket?.shareSeats();
  }

  /** Why the request is over: its client has gone, or its deadline has passed. */
  workEnd(): 'deadline' | 'disconnected' | undefined {
    if (this.#controller?.signal.aborted ?? this.request.isGone ?? this.request.signal.aborted) return 'disconnected';
    return this.timeoutMs !== undefined && this.#clock.now() > this.receivedMs + this.timeoutMs
      ? 'deadline'
      : undefined;
  }

  /** Replaces the user of the request by an impersonated user. */
  impersonate(user: UserInfo): void {
    this.impersonator ??= this.user;
    this.user = user;
  }

  /**
   * Adds a `Warning` header to the response; a repeated text is sent once. Bound, so that it can be passed as a
   * function.
   */
  readonly warn = (text: string): void => {
    (this.#warnings ??= new WarningRecorder()).add(text);
  };

  /** Adds an annotation to the audit events of the request. For authentication, which comes before the audit filter. */
  readonly annotate = (key: string, value: string): void => {
    (this.annotations ??= new Map()).set(key, value);
  };

  /** Values of the `Warning` header; empty without warnings. */
  get warnings(): readonly string[] {
    return this.#warnings?.headers ?? NO_WARNINGS;
  }

  /** The query, parsed on first use. */
  get query(): URLSearchParams {
    return (this.#query ??= new URLSearchParams(this.request.query));
  }

  /**
   * The options of a list or watch in the query, parsed on first use: several filters and the endpoint read them, and a
   * selector may be long.
   *
   * @throws ApiError 400 for invalid numbers and selectors
   */
  get listOptions(): WatchOptions {
    this.#listOptions ??= outcomeOf(() => parseListOptions(this.query));
    if ('error' in this.#listOptions) throw this.#listOptions.error;
    return this.#listOptions.value;
  }

  /** The User-Agent; its first word up to a slash is the default field manager. */
  get userAgent(): string {
    return this.request.headers.get('user-agent') ?? '';
  }
}

/** The outcome of a function, or the error that it threw. */
type Outcome<Value> = { readonly value: Value } | { readonly error: unknown };

function outcomeOf<Value>(run: () => Value): Outcome<Value> {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}

const NO_WARNINGS: readonly string[] = Object.freeze([]);

const UNKNOWN: UserInfo = Object.freeze({ username: '', groups: Object.freeze([]) });

/** Answers a request, at once if no step has to wait; or throws an ApiError. */
export type Endpoint = (scope: RequestScope) => ApiResponse | Promise<ApiResponse>;

/** Wraps an endpoint with a concern that all requests share. */
export type Filter = (next: Endpoint) => Endpoint;

/** Wraps an endpoint with filters; the first filter is the outermost. */
export function compose(filters: readonly Filter[], endpoint: Endpoint): Endpoint {
  return filters.reduceRight((next, filter) => filter(next), endpoint);
}
