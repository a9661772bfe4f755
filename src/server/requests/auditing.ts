/**
 * Writes the audit events of requests: the one of their arrival in a filter behind authentication, the others when the
 * response is known.
 *
 * @module
 */
import { ApiError, errors, jsonText, messageOf, onAbort, type Clock, type UserInfo } from '../../foundation/index.js';
import {
  attributesOf,
  failedAuthenticationText,
  requestUri,
  sourceIPs,
  type Auditor,
  type RequestAudit,
} from '../../security/index.js';
import { endingWith } from '../filters/in-flight.js';
import { isLasting } from './connections.js';
import { isStream, type ApiResponse, type WebSocketAnswer } from './http.js';
import type { Filter, RequestScope } from './request-scope.js';

/** Returns the auditor; undefined before the server has started. */
export type AuditorSource = () => Auditor | undefined;

/** Status of a response to a client that has gone. */
const CLIENT_GONE = 499;
/** Status of an accepted WebSocket. */
const SWITCHING_PROTOCOLS = 101;

/** Audits the requests of a server. */
export class RequestAuditing {
  readonly #auditor: AuditorSource;
  readonly #clock: Clock;

  constructor(auditor: AuditorSource, clock: Clock) {
    this.#auditor = auditor;
    this.#clock = clock;
  }

  /** The filter behind authentication. Refuses with 500 when an event that must be stored cannot be. */
  readonly filter: Filter = (next) => (scope) => {
    // A request that is late has been answered.
    if (scope.isAuditDecided) return next(scope);
    const audit = this.#begin(scope, scope.user);
    if (audit === undefined) return next(scope);
    scope.audit = audit;
    const stored = audit.received();
    if (stored === true) {
      scope.momentMs = this.#clock.now();
      return next(scope);
    }
    return Promise.resolve(stored).then((isStored) => {
      scope.momentMs = this.#clock.now();
      if (isStored) return next(scope);
      scope.audit = undefined;
      this.#auditor()?.rejected();
      throw errors.internal('failed to store audit event');
    });
  };

  /** Writes the last events of a request that was answered, or lets its stream write them. Never rejects. */
  async answered(scope: RequestScope, response: ApiResponse): Promise<ApiResponse> {
    const { audit } = scope;
    if (audit === undefined) return response;
    const { status, body } = response;
    const streams = isStream(body);
    if (isLasting(scope.info)) await audit.started(status);
    if (!streams) {
      await audit.completed(status);
      return response;
    }
    const ended = endOf(scope, audit, status);
    return { ...response, body: { ...body, stream: endingWith(body.stream, ended) } };
  }

  /** Writes the events of an accepted WebSocket, and lets it write the last one. Never rejects. */
  async accepted(scope: RequestScope, answer: WebSocketAnswer): Promise<WebSocketAnswer> {
    const { audit } = scope;
    if (audit === undefined) return answer;
    await audit.started(SWITCHING_PROTOCOLS);
    const ended = endOf(scope, audit, SWITCHING_PROTOCOLS);
    const closed = (): void => {
      ended();
      answer.closed?.();
    };
    return { ...answer, messages: endingWith(answer.messages, ended), closed };
  }

  /** Writes the last events of a request that failed. Never rejects. @param error what it failed with */
  async failed(scope: RequestScope, response: ApiResponse, error: unknown): Promise<void> {
    const { audit } = scope;
    if (audit === undefined) {
      if (!scope.isAuditDecided) await this.#unidentified(scope, response, error);
      return;
    }
    const { status: code } = response;
    const isPanic = !(error instanceof ApiError) && code !== CLIENT_GONE;
    if (error instanceof ApiError) audit.outcome(error.status);
    else if (isPanic) audit.outcome(errors.internal(`APIServer panic'd: ${messageOf(error)}`).status);
    else audit.failed('Connection closed early');
    if (error instanceof ApiError) audit.responded(jsonText(error.status));
    if (isLasting(scope.info) && !isPanic) await audit.started(code);
    await audit.completed(code, isPanic ? 'Panic' : 'ResponseComplete');
  }

  /** Records a request that failed before its user was known: one event, as in Kubernetes. */
  async #unidentified(scope: RequestScope, { status }: ApiResponse, error: unknown): Promise<void> {
    const audit = this.#begin(scope, undefined);
    if (audit === undefined) return;
    audit.failed(status === 401 ? failedAuthenticationText(scope) : messageOf(error));
    await audit.started(status);
  }

  #begin(scope: RequestScope, user: UserInfo | undefined): RequestAudit | undefined {
    const auditor = this.#auditor();
    if (auditor === undefined) return undefined;
    scope.isAuditDecided = true;
    const { request, info, auditId, receivedMs, userAgent } = scope;
    const audit = auditor.begin({ ...attributesOf(info, NOBODY), user }, () => ({
      ...{ auditId, receivedMs, userAgent },
      requestUri: requestUri(request.path, request.query),
      sourceIPs: sourceIPs(request.headers, request.peer.address),
      apiVersion: info.version,
    }));
    for (const [key, value] of scope.annotations ?? []) audit?.annotate(key, value);
    return audit;
  }
}

const NOBODY: UserInfo = Object.freeze({ username: '', groups: [] });

/** Returns the function to call when a stream has ended. It also ends when the client is gone. */
function endOf(scope: RequestScope, audit: RequestAudit, status: number): () => void {
  const complete = (): void => void audit.completed(status);
  // A response that is never read never ends by itself.
  const stop = onAbort(scope.request.signal, complete);
  return () => {
    stop();
    complete();
  };
}
