import type { Clock, Dialect, KeepAlive, UserInfo } from '../../foundation/index.js';
import type { RequestContext, ResourceDefinition } from '../../registry/index.js';
import type { RequestAudit } from '../../security/index.js';
import type {
  InterceptedRequest,
  Interception,
  LogRequest,
  ProxyAnswer,
  ProxyRequestCall,
  RequestFollowers,
  RequestOrigin,
  ResourceOperations,
  StreamRequest,
  WebSocketAnswer,
} from '../../server/index.js';
import type { KindReference } from '../backend.js';

/** A request of a client, for authorization. */
export interface ClientRequest {
  readonly user: UserInfo;
  readonly verb: string;
  readonly operations: ResourceOperations;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
}

/** The audit log, as calls in the process use it. */
export interface CallAuditing {
  /** Begins to record a call; undefined when the policy wants no events of it. */
  begin(
    request: ClientRequest,
    facts: { readonly requestUri: string; readonly userAgent: string },
  ): RequestAudit | undefined;
  /** Counts a call that was refused because its event could not be stored. */
  rejected(): void;
}

/** The services that a server provides to its in-process clients. */
export interface InProcessServices {
  /**
   * Resolves when the server is ready to serve a kind; undefined when it already is.
   *
   * @param definition returns the kind; called when the server has started
   * @param verb verb of the call
   * @param namespace namespace of the call; undefined for all, and where there is none
   */
  started(definition: () => ResourceDefinition, verb: string, namespace: string | undefined): Promise<void> | undefined;
  /** Returns the operations of a kind. @throws TypeError when the kind is not served */
  operationsOf(definition: ResourceDefinition): ResourceOperations;
  /** Returns the operations of a kind by its names. @throws ApiError 404 when the kind is not served */
  operationsOfKind(reference: KindReference): ResourceOperations;
  /** Aborts when the server is closed, with the error that calls get from then on; undefined for its own clients. */
  readonly closed?: AbortSignal | undefined;
  readonly dialect: Dialect;
  /** Returns the clock of the server. */
  readonly clock: () => Clock;
  /** User info of the server's owner. */
  readonly owner: UserInfo;
  /** The audit log; undefined without one. */
  readonly auditing?: CallAuditing | undefined;
  /** Authorizes a request. @param audit records the decision; @throws ApiError 403 */
  authorize(request: ClientRequest, audit?: RequestAudit): Promise<void>;
  /**
   * Waits for the result of a request and keeps the process alive in the meantime.
   *
   * @throws ApiError 504 after the request timeout
   */
  bounded<Answer>(answer: Promise<Answer>): Promise<Answer>;
  /** Opens the log of a pod; undefined when it has none. @throws ApiError, or what the handler of the owner throws */
  openLog(request: LogRequest): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Opens the streams of a pod. @throws ApiError */
  openStreams(request: StreamRequest): Promise<WebSocketAnswer>;
  /** Lets a handler answer a request for what an object stands for. @throws ApiError */
  openProxy(request: ProxyRequestCall): Promise<ProxyAnswer>;
  /** Keeps the process alive while a caller waits for the next event of a watch. */
  keepAlive(): KeepAlive;
  /** Puts a request under the server's interceptor; absent for a server without one. */
  readonly intercept?: ((requestOf: (via: RequestOrigin) => InterceptedRequest) => Interception) | undefined;
  /** Called when an informer or controllers begin to follow the server; returns what they call at their end. */
  readonly opened?: ((what: string) => () => void) | undefined;
  /**
   * Creates the context of a request.
   *
   * @param warn receives the warnings for the caller
   * @param followers who follow the request: its audit events, and a function that gets every record that it writes
   */
  context(
    user: UserInfo,
    fieldManager: string,
    warn: (text: string) => void,
    signal: AbortSignal | undefined,
    followers?: RequestFollowers,
  ): RequestContext;
}
